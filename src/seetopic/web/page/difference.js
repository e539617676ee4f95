// Differences between two sides, by category and in figures.

import { h } from "./dom.js";
import { counted } from "./telling.js";

export function compared({ titles, left, right, differences, figures }) {
  return [
    h("div", { class: "compared-head" }, h("h2", {}, titles[0], h("span", { class: "soft" }, " and "), titles[1]), h("p", { class: "soft" }, summary(differences))),
    figures ? figuresTable(figures, titles) : null,
    h("p", { class: "legend" },
      h("span", {}, h("b", {}, "◆"), " only on this side"),
      h("span", {}, h("b", {}, "= 3"), " on both sides, number 3 on the other")),
    h("div", { class: "pairs" }, differences.map((each) => pair(each, find(left, each.name), find(right, each.name), titles))),
  ];
}

const folded = (name) => name.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
const find = (side, name) => side.topics.find((topic) => folded(topic.name) === folded(name)) ?? null;

function summary(differences) {
  const sum = (list) => differences.reduce((total, each) => total + each[list].length, 0);
  return `${counted(sum("both"), "term")} on both sides, ${sum("only_left")} only on the left, ${sum("only_right")} only on the right`;
}

function pair({ name, both }, left, right, titles) {
  const many = Math.max(left?.terms.length ?? 0, right?.terms.length ?? 0);
  const told = left && right ? `${both.length} of ${many} on both sides` : `only the ${left ? "left" : "right"} side has this category`;
  return h("section", { class: "card pair", "aria-label": name }, h("h3", { dir: "auto" }, name), h("p", { class: "soft small" }, told),
    h("div", { class: "two" }, column("left", titles[0], left, right), column("right", titles[1], right, left)));
}

function column(which, title, own, other) {
  const places = new Map((other?.terms ?? []).map((each, at) => [each.term, at + 1]));
  const line = ({ term }, at) => {
    const there = places.get(term);
    return h("li", { class: there ? "" : "only" }, h("span", { class: "place number" }, `${at + 1}`), h("span", { class: "word", dir: "auto" }, term),
      h("span", { class: "sign number" }, there ? h("span", { title: `on both sides, number ${there} on the other` }, `= ${there}`) : h("span", { title: "only on this side" }, "◆", h("span", { class: "unseen" }, " only on this side"))));
  };
  return h("div", { class: which }, h("h4", { title }, title),
    own?.terms.length ? h("ol", { class: "ranked", "aria-label": `${own.name}, ${title}` }, own.terms.map(line)) : h("p", { class: "soft small" }, own ? "No terms were found." : "No such category."));
}

function figuresTable({ names, about, left, right, note }, titles) {
  const row = (name) => {
    const both = left[name] !== null && right[name] !== null;
    return h("tr", {}, h("th", { scope: "row" }, h("code", {}, name), about[name] ? h("span", { class: "about soft small" }, ` ${about[name]}`) : null),
      [left[name], right[name]].map((value) => h("td", { class: "count" }, plain(value))), h("td", { class: "count" }, both ? change(right[name] - left[name]) : "–"));
  };
  return h("div", {}, h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "Figures of both sides" }, h("table", { class: "figures-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Measure"), titles.map((title) => h("th", { scope: "col", class: "count" }, title)), h("th", { scope: "col", class: "count" }, "Right − left"))),
    h("tbody", {}, names.map(row)))), h("p", { class: "soft small gap-small" }, note));
}

const digits = (value) => (Math.abs(value) < 100 ? value.toFixed(3) : value.toLocaleString("en", { maximumFractionDigits: 0 }));
const plain = (value) => (value === null ? "–" : digits(value).replace("-", "−"));
const change = (value) => (digits(value) === "0.000" || digits(value) === "-0.000" ? "0" : `${value > 0 ? "+" : ""}${plain(value)}`);
