// The keyboard shortcuts of the bench, in a dialog.

import { h } from "./dom.js";

const KEYS = [
  [["↑", "↓", "←", "→"], "move between terms and topics"],
  [["a"], "accept a term: it must appear in this topic"],
  [["r"], "reject a term: it must not appear in this topic"],
  [["m"], "move a term to another category"],
  [["Enter"], "show why a term is there; in a name: save it"],
  [["Alt + ↑", "Alt + ↓"], "in a name: move the category up or down"],
  [["Esc"], "in a name: discard what you typed; otherwise close what is open"],
  [["Ctrl + Z"], "undo"],
  [["Ctrl + Shift + Z"], "redo"],
  [["?"], "show this list"],
];

export function showKeys() {
  const dialog = h(
    "dialog",
    { "aria-label": "Keyboard shortcuts" },
    h("h2", {}, "Keyboard shortcuts"),
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
