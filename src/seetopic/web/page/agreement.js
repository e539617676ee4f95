// Annotation results: MACC of each method, agreement, and disputed terms.

import { fill, h, note } from "./dom.js";
import { counted } from "./telling.js";

const FIRST = 15; // disputed terms shown at first
const FEW = 3; // notes shown without a fold

/** An element with `update(agreement)`. */
export function results() {
  const element = h("div", { class: "results" });
  let all = false;
  element.update = (found) => {
    const unfolded = new Set([...element.querySelectorAll("details[open] > summary")].map((each) => each.textContent.replace(/\d+/, "")));
    const draw = () => fill(element,
      h("h3", {}, "Results so far"),
      h("div", { class: "estimates" }, estimate("Fleiss’ kappa", found.fleiss_kappa, "judged by all"), estimate("Krippendorff’s alpha", found.krippendorff_alpha, "judged by two or more")),
      accuracy(found),
      disputed(found.disputed, all, () => { all = true; draw(); }),
      remarks(found.notes));
    draw();
    for (const each of element.querySelectorAll("details > summary")) each.parentElement.open = unfolded.has(each.textContent.replace(/\d+/, ""));
  };
  return element;
}

/** Notes on the figures; there are many while annotation is in progress. */
function remarks(notes) {
  if (notes.length <= FEW) return notes.map((text) => note(text));
  return h("details", { class: "note" }, h("summary", {}, `${notes.length} notes on these figures`), h("ul", {}, notes.map((text) => h("li", {}, text))));
}

function estimate(name, { value, low, high, items }, whose) {
  const between = low === null ? "no interval" : `95% interval ${signed(low)} to ${signed(high)}`;
  return h("div", { class: "estimate" }, h("span", { class: "soft small" }, name),
    h("b", { class: "number" }, value === null ? "–" : signed(value)),
    h("span", { class: "soft small" }, value === null ? "not defined yet" : `${between}, ${counted(items, "term")} ${whose}`));
}

function accuracy({ methods, annotators }) {
  const categories = Object.keys(methods[0]?.per_topic ?? {});
  const people = annotators.map((each) => each.name);
  const best = Math.max(...methods.map((each) => each.macc ?? -1));
  const row = (each) => h("tr", {},
    h("th", { scope: "row" }, each.method),
    h("td", { class: "count" }, h("span", { class: "meter", "aria-hidden": "true" }, h("span", { style: { width: `${100 * (each.macc ?? 0)}%` } })),
      each.macc === best && methods.length > 1 ? h("b", {}, share(each.macc)) : share(each.macc)),
    categories.map((name) => h("td", { class: "count" }, share(each.per_topic[name]))));
  const byPerson = (each) => h("tr", {}, h("th", { scope: "row" }, each.method), people.map((name) => h("td", { class: "count" }, share(each.per_annotator[name]))));
  return [
    h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "MACC by method and category" }, h("table", {},
      h("caption", {}, "MACC: the share of a method’s terms judged to belong, overall and by category"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Found by"), h("th", { scope: "col", class: "count" }, "MACC"), categories.map((name) => h("th", { scope: "col", class: "count" }, name)))),
      h("tbody", {}, methods.map(row)))),
    h("details", {}, h("summary", {}, "By annotator"), h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "MACC by method and annotator" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "MACC by"), people.map((name) => h("th", { scope: "col", class: "count" }, name)))),
      h("tbody", {}, methods.map(byPerson),
        h("tr", {}, h("th", { scope: "row" }, "Share judged to belong"), annotators.map((each) => h("td", { class: "count" }, share(each.belongs)))),
        h("tr", {}, h("th", { scope: "row" }, "Terms judged"), annotators.map((each) => h("td", { class: "count" }, String(each.judged)))))))),
  ];
}

function disputed(terms, all, more) {
  if (!terms.length) return h("p", { class: "soft" }, "No term is disputed so far.");
  const row = (each) => h("tr", {}, h("th", { scope: "row", dir: "auto" }, each.term), h("td", { dir: "auto" }, each.category), h("td", { class: "count" }, String(each.yes)), h("td", { class: "count" }, String(each.no)), h("td", {}, each.methods.join(", ")));
  return [
    h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "Disputed terms" }, h("table", {},
      h("caption", {}, `${counted(terms.length, "disputed term")}, most disputed first`),
      h("thead", {}, h("tr", {}, ["Term", "Category"].map((name) => h("th", { scope: "col" }, name)), ["Belongs", "Does not"].map((name) => h("th", { scope: "col", class: "count" }, name)), h("th", { scope: "col" }, "Found by"))),
      h("tbody", {}, (all ? terms : terms.slice(0, FIRST)).map(row)))),
    all || terms.length <= FIRST ? null : h("p", {}, h("button", { type: "button", on: { click: more } }, `Show all ${terms.length}`)),
  ];
}

const share = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));
const signed = (value) => value.toFixed(2).replace("-", "−");
