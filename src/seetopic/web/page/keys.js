// The keys of the bench, in a dialog.

import { h } from "./dom.js";

const KEYS = [
  [["↑", "↓", "←", "→"], "go from term to term and from topic to topic"],
  [["a"], "accept a term: it must stand in this topic"],
  [["r"], "reject a term: it must not stand in this topic"],
  [["m"], "move a term to another category"],
  [["Enter"], "why a term is there; in a name: save it"],
  [["Alt + ↑", "Alt + ↓"], "in a name: move the category up or down"],
  [["Esc"], "in a name: take back what you typed; else close what is open"],
  [["Ctrl + Z"], "undo"],
  [["Ctrl + Shift + Z"], "redo"],
  [["?"], "show this"],
];

export function showKeys() {
  const dialog = h(
    "dialog",
    { "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h(
      "dl",
      { class: "keys" },
      KEYS.map(([keys, meaning]) =>
        h(
          "div",
          {},
          h(
            "dt",
            {},
            keys.map((key) => h("kbd", {}, key)),
          ),
          h("dd", {}, meaning),
        ),
      ),
    ),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "primary", on: { click: () => dialog.close() } }, "Close"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
