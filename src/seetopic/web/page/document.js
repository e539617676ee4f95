// A full document, with the terms of all topics marked in their colours.

import { get } from "./api.js";
import { fill, h, hue, marked, note, skeleton } from "./dom.js";

export async function showDocument(place, open, number, signal) {
  fill(place, skeleton(12));
  let found;
  try {
    found = await get(`${open.path}/documents/${number}`, { signal });
  } catch (error) {
    if (error.name !== "AbortError") fill(place, note(error.message, "bad"));
    return;
  }
  const places = new Map(open.project.categories.map((each) => [each.id, { colour: hue(each.id), name: each.name }]));
  const shares = found.shares.filter((each) => each.share >= 0.005).sort((one, two) => two.share - one.share);
  fill(
    place,
    h(
      "ul",
      { class: "shares" },
      shares.map((each) =>
        h(
          "li",
          {},
          h("span", { class: "dot", style: { "--hue": places.get(each.category)?.colour ?? "var(--soft)" } }),
          h("span", {}, each.name),
          h("b", { class: "number" }, `${Math.round(100 * each.share)}%`),
        ),
      ),
    ),
    shares.length ? null : h("p", { class: "soft" }, "It contains no terms of any topic."),
    h(
      "div",
      { class: "document" },
      marked(found.parts, (category) => places.get(category)),
    ),
    found.cut ? h("p", { class: "soft" }, "Only the beginning is shown.") : null,
  );
}
