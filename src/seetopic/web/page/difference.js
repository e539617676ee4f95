// Differences between two sides: what differs first, then what is the same, and measures on demand.

import { h } from "./dom.js";
import { counted } from "./telling.js";

// Names that people know for the measures, in the order of importance; the technical name stands beside each.
const KNOWN = [
  ["label_precision@", "Terms typical of their label"],
  ["label_f1@", "Documents labelled correctly by terms"],
  ["macro_f1", "Documents sorted correctly"],
  ["exact_path", "Documents sorted to exactly their path"],
  ["hierarchical_f1", "Documents sorted correctly at all levels"],
  ["coverage@", "Documents that contain a term"],
  ["diversity", "Terms that are in one topic only"],
  ["embedding_coherence", "Similar meaning within a topic"],
  ["c_v", "Terms used together (C_v)"],
  ["npmi", "Terms used together (NPMI)"],
  ["median_document_frequency", "Documents per term, median"],
];

/** `measure()` measures both sides. */
export function compared({ titles, left, right, differences, figures }, measure) {
  const pairs = differences.map((each) => ({ ...each, left: find(left, each.name), right: find(right, each.name) }));
  const [differing, same] = [pairs.filter((each) => !isSame(each)), pairs.filter(isSame)];
  differing.sort((one, two) => unlike(two) - unlike(one));
  return [
    h("div", { class: "compared-head" }, h("h2", {}, titles[0], h("span", { class: "soft" }, " and "), titles[1]), h("p", {}, summary(differing, same))),
    differing.length
      ? h("p", { class: "legend" },
          h("span", {}, h("b", {}, "◆"), " only on this side"),
          h("span", {}, h("b", {}, "▲ 2"), " two places higher than on the other side"),
          h("span", {}, h("b", {}, "▼ 2"), " two places lower"))
      : null,
    h("div", { class: "pairs" }, differing.map((each) => pair(each, titles))),
    same.length ? h("p", { class: "gap" }, h("b", {}, `The same on both sides: `), same.map((each) => each.name).join(", ")) : null,
    h("section", { class: "gap", "aria-label": "Measures" }, h("h2", {}, "How good are they?"), figures ? figuresTable(figures, titles) : offer(measure)),
  ];
}

const folded = (name) => name.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
const find = (side, name) => side.topics.find((topic) => folded(topic.name) === folded(name)) ?? null;
const termsOf = (topic) => (topic?.terms ?? []).map((each) => each.term);
const isSame = ({ left, right }) => Boolean(left && right) && termsOf(left).join("\n") === termsOf(right).join("\n");
const unlike = ({ only_left: left, only_right: right }) => left.length + right.length;

function summary(differing, same) {
  if (!differing.length) return "Both sides have the same terms in the same order.";
  const terms = differing.reduce((sum, each) => sum + unlike(each), 0);
  const rest = same.length ? ` ${counted(same.length, "category", "categories")} ${same.length === 1 ? "is" : "are"} the same.` : "";
  return `${counted(differing.length, "category", "categories")} differ${differing.length === 1 ? "s" : ""}, in ${counted(terms, "term")} that only one side has${terms ? "" : ", but in another order"}; the largest differences come first.${rest}`;
}

function pair({ name, both, left, right }, titles) {
  const many = Math.max(left?.terms.length ?? 0, right?.terms.length ?? 0);
  const told = left && right ? `${both.length} of ${many} terms on both sides` : `only ${left ? titles[0] : titles[1]} has this category`;
  return h("section", { class: "card pair", "aria-label": name }, h("h3", { dir: "auto" }, name), h("p", { class: "soft small" }, told),
    h("div", { class: "two" }, column("left", titles[0], left, right), column("right", titles[1], right, left)));
}

function column(which, title, own, other) {
  const places = new Map((other?.terms ?? []).map((each, at) => [each.term, at + 1]));
  const line = ({ term }, at) => {
    const there = places.get(term);
    return h("li", { class: there ? "" : "only" }, h("span", { class: "place number" }, `${at + 1}`), h("span", { class: "word", dir: "auto" }, term),
      h("span", { class: "sign number" }, there ? moved(there - (at + 1)) : told("◆", "only on this side")));
  };
  return h("div", { class: which }, h("h4", { title }, title.replace(/ \(.*\)$/s, "")),
    own?.terms.length ? h("ol", { class: "ranked", "aria-label": `${own.name}, ${title}` }, own.terms.map(line)) : h("p", { class: "soft small" }, own ? "No terms were found." : "No such category."));
}

const told = (sign, words) => h("span", { title: words }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "unseen" }, ` ${words}`));

/** How many places a term stands higher than on the other side. */
function moved(places) {
  if (!places) return "";
  const number = Math.abs(places);
  return told(`${places > 0 ? "▲" : "▼"} ${number}`, `${counted(number, "place")} ${places > 0 ? "higher" : "lower"} than on the other side`);
}

function offer(measure) {
  const button = h("button", { type: "button" }, "Measure both");
  button.addEventListener("click", () => {
    button.disabled = true;
    measure();
  });
  return h("div", {}, h("p", { class: "soft" }, "Measures say how well the terms of each side fit the documents; with labels, also how well they sort them. This takes a while on many documents."), button);
}

function figuresTable({ names, about, left, right, note }, titles) {
  const known = (name) => KNOWN.find(([stem]) => name === stem || (stem.endsWith("@") && name.startsWith(stem)));
  const label = (name) => {
    const found = known(name);
    return found ? `${found[1]}${name.includes("@") ? `, best ${name.split("@")[1]} terms` : ""}` : name.replaceAll("_", " ");
  };
  const row = (name) => {
    const both = left[name] !== null && right[name] !== null;
    return h("tr", {}, h("th", { scope: "row" }, label(name), h("span", { class: "about soft small" }, ` ${about[name] ? `${about[name]} · ` : ""}`, h("code", {}, name))),
      [left[name], right[name]].map((value) => h("td", { class: "count" }, plain(value))), h("td", { class: "count" }, both ? change(right[name] - left[name]) : "–"));
  };
  const order = (name) => KNOWN.indexOf(known(name));
  const table = (some, what) => h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": what }, h("table", { class: "figures-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Measure"), titles.map((title) => h("th", { scope: "col", class: "count" }, title)), h("th", { scope: "col", class: "count" }, "Difference"))),
    h("tbody", {}, some.map(row))));
  const [first, rest] = [names.filter(known).sort((one, two) => order(one) - order(two)), names.filter((name) => !known(name))];
  return h("div", {}, table(first, "Measures of both sides"), h("p", { class: "soft small gap-small" }, note),
    rest.length ? h("details", {}, h("summary", {}, `${rest.length} further measures, from the paper and others`), table(rest, "Further measures")) : null);
}

const digits = (value) => (Math.abs(value) < 100 ? value.toFixed(3) : value.toLocaleString("en", { maximumFractionDigits: 0 }));
const plain = (value) => (value === null ? "–" : digits(value).replace("-", "−"));
const change = (value) => (digits(value) === "0.000" || digits(value) === "-0.000" ? "0" : `${value > 0 ? "+" : ""}${plain(value)}`);
