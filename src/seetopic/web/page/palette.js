// Go to any category, page or command by typing part of its name.

import { chooser } from "./choose.js";
import { h } from "./dom.js";

let shown = null;

/** `choices` are as in `chooser`, each with `run()`. */
export function showPalette(choices) {
  if (shown) return;
  const pick = (choice) => {
    dialog.close();
    choice.run();
  };
  const { element, field } = chooser("Go to a category, page or command", choices, pick, {
    hint: "Go to a category, page or command",
    always: true,
  });
  const dialog = h("dialog", { class: "palette", "aria-label": "Go to" }, element);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    shown = null;
    dialog.remove();
  });
  shown = dialog;
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
}
