// A list to choose from: type to filter, arrows to move, Enter to choose.

import { h, keyed, say } from "./dom.js";

const FEW = 8; // choices for which no filter is needed
let lists = 0;

const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

/** Whether a text contains all words of a filter, in any order. */
export const fits = (filter, ...texts) => {
  const whole = plain(texts.join(" "));
  return plain(filter)
    .split(/\s+/)
    .every((word) => whole.includes(word));
};

/** `choices` are {label, about, hue, keys}; `pick(choice)` is called with the chosen one. */
export function chooser(label, choices, pick, { hint = "Type to filter", always = false } = {}) {
  const id = `choices-${++lists}`;
  const field = h("input", {
    class: "choose-field",
    role: "combobox",
    placeholder: hint,
    spellcheck: false,
    autocomplete: "off",
    "aria-label": label,
    "aria-expanded": "true",
    "aria-controls": id,
    "aria-autocomplete": "list",
  });
  if (!always && choices.length <= FEW) field.classList.add("unseen");
  const list = h("div", { class: "menu", role: "listbox", id, "aria-label": label });
  const none = h("p", { class: "soft small menu-head", role: "status" });
  const element = h("div", { class: "choose" }, field, list, none);
  let shown = [];
  let at = 0;

  const move = (to) => {
    at = shown.length ? (to + shown.length) % shown.length : 0;
    [...list.children].forEach((each, number) => each.setAttribute("aria-selected", String(number === at)));
    const now = list.children[at];
    if (now) field.setAttribute("aria-activedescendant", now.id);
    else field.removeAttribute("aria-activedescendant");
    now?.scrollIntoView({ block: "nearest" });
  };
  const draw = () => {
    const filter = field.value.trim();
    shown = choices.filter((each) => !filter || fits(filter, each.label, each.about ?? ""));
    keyed(
      list,
      shown,
      (each) => choices.indexOf(each),
      (each) =>
        h(
          "div",
          { class: "choice-line", role: "option", id: `${id}-${choices.indexOf(each)}`, on: { click: () => pick(each) } },
          each.hue ? h("span", { class: "dot", style: { "--hue": each.hue } }) : null,
          h("span", { class: "choice-label" }, each.label),
          each.about ? h("span", { class: "soft small" }, each.about) : null,
          each.keys ? h("kbd", {}, each.keys) : null,
        ),
      () => {},
    );
    list.hidden = !shown.length;
    say(none, shown.length ? "" : "Nothing fits.");
    none.hidden = shown.length > 0;
    move(0);
  };
  field.addEventListener("input", draw);
  field.addEventListener("keydown", (event) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) move(to);
    else if (event.key === "Enter" && shown[at]) pick(shown[at]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  draw();
  return { element, field };
}
