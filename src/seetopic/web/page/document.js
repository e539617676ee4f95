// A full document: its shares in the categories, its columns, and the terms of all topics marked in their colours.

import { get } from "./api.js";
import { fill, h, hue, marked, note, skeleton } from "./dom.js";

const LEAST = 0.005; // share that is shown

export async function showDocument(place, open, number, signal) {
  place.tabIndex = 0; // so that the keyboard can scroll it
  fill(place, skeleton(12));
  let found;
  try {
    found = await get(`${open.path}/documents/${number}`, { signal });
  } catch (error) {
    if (error.name !== "AbortError") fill(place, note(error.message, "bad"));
    return;
  }
  const places = new Map(open.project.categories.map((each) => [each.id, { colour: hue(each.id), name: each.name }]));
  const shares = [...found.shares, { category: null, name: "none of these", share: found.none }].filter((each) => each.share >= LEAST).sort((one, two) => two.share - one.share);
  const columns = Object.entries(found.columns).filter(([, value]) => value);
  fill(
    place,
    h("ul", { class: "share-bars" }, shares.map((each) =>
      h("li", { style: { "--hue": places.get(each.category)?.colour ?? "var(--soft)" } },
        h("span", {}, each.name), h("span", { class: "share-bar" }, h("span", { style: { width: `${100 * each.share}%` } })), h("b", { class: "number" }, `${Math.round(100 * each.share)}%`)))),
    shares.length ? null : h("p", { class: "soft" }, "It contains no terms of any topic."),
    columns.length ? h("dl", { class: "columns" }, columns.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])) : null,
    h("div", { class: "document" }, marked(found.parts, (category) => places.get(category))),
    found.cut ? h("p", { class: "soft" }, "Only the beginning is shown.") : null,
  );
}
