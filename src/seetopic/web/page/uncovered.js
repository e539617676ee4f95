// What the names miss: the share of documents that they cover, and themes of the others, which can become categories.

import { get } from "./api.js";
import { debounce, fill, h, icon, keyed, say } from "./dom.js";

const WAIT = 300; // milliseconds after new topics, so that quick edits do not wait for this

const percent = (share) => (share > 0 && share < 0.01 ? "under 1%" : `${Math.round(100 * share)}%`);

/** A section with `load()`, `wait()` until the next load, and `stop()`; `made(ids)` is called with the category that a
 * theme becomes. */
export function uncoveredPanel({ open, announce }, made) {
  const title = h("h2", { id: "uncovered-title" }, "What the names miss");
  const told = h("p", { class: "soft" });
  const covered = h("span", { class: "covered" });
  const bar = h("div", { class: "coverage", role: "img" }, covered);
  const rest = h("p", { class: "gap-small" }, h("a", { href: `#/project/${encodeURIComponent(open.id)}/documents/none` }, "Documents that fit no category"));
  const cards = h("ul", { class: "residuals" });
  const element = h("section", { class: "uncovered", hidden: true, "aria-labelledby": "uncovered-title" }, title, bar, told, cards, rest);
  let asked = new AbortController();

  const load = debounce(WAIT, async () => {
    asked.abort();
    asked = new AbortController();
    if (!open.topics?.length) {
      element.hidden = true;
      return;
    }
    try {
      draw(await get(`${open.path}/uncovered`, { signal: asked.signal }));
    } catch {
      /* the topics are shown without this; the next change tries again */
    }
  });

  function draw({ coverage, themes }) {
    element.hidden = false;
    rest.hidden = coverage >= 0.9995;
    covered.style.setProperty("width", `${100 * coverage}%`);
    bar.setAttribute("aria-label", `The names cover ${percent(coverage)} of the documents`);
    say(told, coverage >= 0.9995 || !themes.length
      ? `Your names cover ${percent(coverage)} of the documents; no further theme was found.`
      : `Your names cover ${percent(coverage)} of the documents. The others are about these themes; make those that matter to you a category.`);
    const names = new Set(open.project.categories.flatMap((each) => [each.name, ...each.names]).map((each) => each.toLowerCase()));
    keyed(cards, themes.filter((each) => !names.has(each.name.toLowerCase())), (each) => each.name, () => themeCard(open, announce, made), (card, theme) => card.update(theme));
  }

  return { element, load, wait: load.cancel, stop: () => { load.cancel(); asked.abort(); } };
}

function themeCard(open, announce, made) {
  const name = h("h3");
  const share = h("span", { class: "soft small number" });
  const terms = h("p", { class: "residual-terms" });
  const example = h("p", { class: "soft small residual-example" });
  const make = h("button", { type: "button" }, icon("plus"), "Make it a category");
  const element = h("li", { class: "card residual" }, h("div", { class: "residual-head" }, name, share), terms, example, make);
  let theme = null;
  make.addEventListener("click", () => {
    make.disabled = true;
    announce(`Adding ${theme.name}`);
    made(open.edit({ kind: "add", names: [theme.name] }));
  });
  element.update = (given) => {
    theme = given;
    make.disabled = false;
    make.setAttribute("aria-label", `Make ${theme.name} a category`);
    say(name, theme.name);
    say(share, `${percent(theme.share)} of the documents`);
    say(terms, theme.terms.filter((each) => each !== theme.name).slice(0, 8).join(", "));
    say(example, theme.passages[0] ? `“${theme.passages[0]}”` : "");
  };
  return element;
}
