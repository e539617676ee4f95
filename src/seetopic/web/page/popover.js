// A popover, closed by Escape, by a click outside, or when it loses the focus.

import { h } from "./dom.js";

let current = null;

/** Show `content` next to `anchor`; when closed by key, the focus returns to `home`. */
export function popover(anchor, content, home, pad = false) {
  current?.close();
  // It can have the focus itself, or a click on text in it would give it to the page, and so close it.
  const element = h("div", { class: pad ? "popover pad" : "popover", tabIndex: -1 }, content);
  (document.getElementById("main") ?? document.body).append(element);
  place(element, anchor.getBoundingClientRect());
  const buttons = () => [...element.querySelectorAll("[role=menuitem]")];
  const close = (back = false) => {
    if (current?.element !== element) return;
    current = null;
    document.removeEventListener("pointerdown", outside, true);
    window.removeEventListener("resize", shut);
    const held = element.contains(document.activeElement);
    if (back || held) home?.focus({ preventScroll: true });
    element.remove();
  };
  const shut = () => close();
  const outside = (event) => !element.contains(event.target) && !anchor.contains(event.target) && close();
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close(true);
    } else if (/^Arrow(Up|Down)$/.test(event.key) && buttons().length) {
      event.preventDefault();
      const all = buttons();
      all.at((all.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)) % all.length).focus();
    }
  });
  element.addEventListener(
    "focusout",
    ({ relatedTarget: to }) => to && !element.contains(to) && !to.contains(element) && close(), // a click on text focuses main
  );
  document.addEventListener("pointerdown", outside, true);
  window.addEventListener("resize", shut);
  current = { element, close };
  element.querySelector("button, input, select")?.focus({ preventScroll: true });
  return { element, close };
}

function place(element, box) {
  const own = element.getBoundingClientRect();
  const edge = 8;
  const left = Math.max(edge, Math.min(box.right - own.width, window.innerWidth - own.width - edge));
  const below = box.bottom + 4 + own.height < window.innerHeight;
  const top = below ? box.bottom + 4 : Math.max(edge, box.top - own.height - 4);
  element.style.setProperty("left", `${left + window.scrollX}px`);
  element.style.setProperty("top", `${top + window.scrollY}px`);
}
