// What the numbers and marks on the topics mean, in plain words, in one place.

import { h } from "./dom.js";
import { popover } from "./popover.js";

export const MEANINGS = {
  share: "Of all documents, how many belong mainly to this topic; with the topics below it, if it has any. The bar compares it with the largest topic.",
  confidence:
    "How sure it is that the terms are about the name, from 0 to 1. Below 0.40, read the terms with care: other names, or further names for this one, may help.",
  found: "Of the topic’s documents, how many contain at least one of its terms.",
  score: "How well the term fits, 1 at best. The bar shows it beside the best term of the same topic.",
  docs: "How many documents contain the term.",
  changes: "new: the term came with your last change. ▲ 3: it went up three places; ▼ 3: it went down three.",
};

const LABELS = {
  share: "Share",
  confidence: "Confidence",
  found: "Found by terms",
  score: "Score and bars",
  docs: "Docs",
  changes: "Marks",
};

/** A button that explains all of them. */
export function meaningsButton() {
  const button = h("button", { type: "button", class: "plain small" }, "What do the numbers mean?");
  button.addEventListener("click", () => {
    const close = h("button", { type: "button", on: { click: () => shown.close(true) } }, "Close");
    const lines = Object.entries(LABELS).map(([key, label]) => [h("dt", {}, label), h("dd", {}, MEANINGS[key])]);
    const shown = popover(button, h("div", {}, h("dl", { class: "meanings" }, lines), close), button, true);
  });
  return button;
}
