// The keyboard shortcuts of the bench, in a dialog.

import { h } from "./dom.js";

const KEYS = [
  [["Ctrl + K"], "go to any category, page or command"],
  [["↑", "↓", "←", "→"], "move between terms and topics; in the list, between names"],
  [["→", "←", "Space"], "on a topic’s name: unfold or fold it"],
  [["a"], "accept a term: it must appear in this topic"],
  [["r"], "reject a term: it must not appear in this topic"],
  [["m"], "move a term to another category"],
  [["Enter"], "show why a term is there; in a name: save it"],
  [["n"], "add a category"],
  [["/"], "filter categories and topics"],
  [["Alt + ↑", "Alt + ↓"], "in a name: move the category up or down"],
  [["Alt + →", "Alt + ←"], "in a name: indent it below the one before, or outdent it"],
  [["Ctrl + Enter"], "in a name: show its topic"],
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
