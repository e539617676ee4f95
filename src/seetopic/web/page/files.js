// A small browser for the server's folder.

import { get, url } from "./api.js";
import { fill, h, icon, note, skeleton } from "./dom.js";
import { sized } from "./telling.js";

/** `pick(entry, place)` is called with the chosen file or index; errors are shown in `place`. */
export function fileBrowser(pick) {
  const where = h("p", { class: "where small soft" });
  const list = h("ul", { class: "entries" });
  const place = h("div", { role: "status" });
  async function go(folder, refocus) {
    fill(place);
    if (!list.firstChild) fill(list, h("li", {}, skeleton(4)));
    let found;
    try {
      found = await get(url`/api/files?folder=${folder}`);
    } catch (error) {
      fill(place, note(error.message, "bad"));
      if (!list.querySelector("button")) fill(list);
      return;
    }
    fill(where, found.folder || "/");
    const up = found.parent === null ? null : entry("back", "Parent folder", "", () => go(found.parent, true));
    const entries = found.entries.map((each) =>
      entry(each.kind, each.name, each.kind === "file" ? sized(each.bytes) : each.kind, () =>
        each.kind === "folder" ? go(each.path, true) : pick(each, place),
      ),
    );
    fill(list, up, entries.length ? entries : h("li", { class: "soft" }, "There is nothing here to open."));
    if (refocus) list.querySelector("button")?.focus();
  }
  go("", false);
  return h("div", { class: "browser" }, where, list, place);
}

function entry(picture, name, about, onclick) {
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", class: "entry", on: { click: onclick } },
      icon(picture),
      h("span", { class: "entry-name" }, name),
      h("span", { class: "soft small number" }, about),
    ),
  );
}
