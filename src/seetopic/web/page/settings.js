// Topic settings: the number of terms, and whether variants are separate terms.

import { h, iconButton } from "./dom.js";
import { popover } from "./popover.js";

export function settingsButton(open) {
  const button = iconButton("sliders", "Topic settings", () => {
    const { top, keep_variants: keep } = open.project.options;
    const number = h("input", { type: "number", min: 1, max: 200, value: String(top), inputMode: "numeric" });
    const variants = h("input", { type: "checkbox", checked: keep });
    number.addEventListener("change", () => {
      const wanted = Math.round(Number(number.value));
      if (wanted >= 1 && wanted !== open.project.options.top) open.edit({ kind: "options", top: wanted });
    });
    variants.addEventListener("change", () => open.edit({ kind: "options", keep_variants: variants.checked }));
    popover(
      button,
      h(
        "div",
        {},
        h("label", { class: "field" }, h("span", {}, "Terms per topic"), number),
        h("label", {}, variants, "Keep variants as separate terms"),
        h("p", { class: "soft small" }, "Otherwise “film” also covers “films”."),
      ),
      button,
      true,
    );
  });
  return button;
}
