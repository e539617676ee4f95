// The topics as cards: terms as bars, the confidence of each topic, and what the last edit changed.

import { empty, fill, h, hue, iconButton, keyed, say, skeleton } from "./dom.js";
import { holds } from "./edits.js";
import { judging } from "./judging.js";

export function topicCards(context, goTo) {
  const { open } = context;
  const grid = h("ol", { class: "cards topic-cards" });
  const place = h("div", { class: "nothing" });
  const element = h("div", { class: "topic-place" }, place, grid);
  const judge = judging(grid, context, goTo);

  function draw() {
    const { categories } = open.project;
    const topics = new Map((open.topics ?? []).map((topic) => [topic.category, topic]));
    fill(place, nothing(open, categories));
    const keep = judge.held();
    keyed(
      grid,
      open.problem && open.topics === null
        ? []
        : categories.map((category, at) => ({
            category,
            at,
            topic: topics.get(category.id),
            change: open.changes[category.id],
          })),
      ({ category }) => category.id,
      () => card(judge, goTo),
      (each, item) => each.update(item),
    );
    judge.settle(keep);
    const drawn = String(open.topicsVersion);
    if (open.topics && grid.dataset.version !== drawn) grid.dataset.version = drawn; // the version that is shown
  }
  /** Scroll a topic's card into view. */
  function bring(category) {
    grid.querySelector(`[data-category="${CSS.escape(category)}"]`)?.scrollIntoView({ block: "nearest" });
  }
  return { element, draw, bring };
}

function nothing(open, categories) {
  if (!categories.length)
    return empty(
      "No categories yet",
      "Name what you want to find in these documents; each name becomes a topic as soon as you press Enter.",
    );
  if (open.topics === null && open.problem) return h("p", { class: "note bad", role: "alert" }, open.problem);
  return null;
}

function card(judge, goTo) {
  const name = h("a", { class: "topic-name" });
  const also = h("p", { class: "also" });
  const facts = h("p", { class: "facts" });
  const notes = h("div", { class: "notes" });
  const head = h(
    "div",
    { class: "term term-head", "aria-hidden": "true" },
    h("span"),
    h("span", {}, "score"),
    h("span", { class: "term-documents" }, "docs"),
    h("span"),
  );
  const terms = h("ol", { class: "terms" });
  const went = h("p", { class: "went" });
  const waiting = skeleton(8);
  const element = h("li", { class: "topic card" }, h("h3", {}, name), also, facts, notes, head, terms, waiting, went);
  element.update = ({ category, at, topic, change }) => {
    element.style.setProperty("--hue", hue(at));
    element.dataset.category = category.id;
    element.classList.toggle("new", Boolean(change?.new));
    name.href = goTo.address(category.id);
    say(name, category.name);
    name.title = `Read about ${category.name}`;
    terms.setAttribute("aria-label", `Terms of ${category.name}`);
    const further = category.names.filter((each) => each !== category.name);
    say(also, further.length ? `also: ${further.join(", ")}` : "");
    also.hidden = !further.length;
    waiting.hidden = Boolean(topic);
    if (!topic) return;
    drawFacts(facts, topic);
    keyed(
      notes,
      topic.warnings,
      (text) => text,
      (text) => h("p", { class: "note" }, text),
      () => {},
    );
    const best = Math.max(...topic.terms.map((term) => term.score), 0);
    keyed(
      terms,
      topic.terms.map((term, place) => ({ term, place, best, category, change })),
      ({ term }) => term.term,
      () => termRow(judge),
      (row, item) => row.update(item),
    );
    if (!topic.terms.length) say(went, "No terms were found.");
    else
      fill(
        went,
        change?.went.length
          ? ["removed: ", change.went.map((term, number) => [number ? ", " : "", h("s", {}, term)])]
          : "",
      );
    went.title = change?.went.join(", ") ?? "";
  };
  return element;
}

function drawFacts(facts, topic) {
  if (!facts.firstChild) {
    const bar = h("span");
    fill(
      facts,
      h(
        "span",
        {},
        "confidence",
        h("span", { class: "meter", "aria-hidden": "true" }, bar),
        h("b", { class: "number" }),
      ),
      h("span", { class: "low" }, "low"),
      h("span"),
    );
  }
  const [sure, low, occurs] = facts.children;
  sure.querySelector(".meter span").style.setProperty("width", `${Math.round(100 * topic.confidence)}%`);
  say(sure.lastChild, topic.confidence.toFixed(2));
  low.hidden = !topic.low;
  say(occurs, topic.in_vocabulary ? "name occurs" : "name does not occur");
}

/** A term: its bar, score and documents; buttons for the mouse, letters for the keyboard. */
function termRow(judge) {
  const bar = h("span", { class: "bar", "aria-hidden": "true" });
  const text = h("span", { class: "text" });
  const variants = h("span", { class: "variants" });
  const mark = h("span", { class: "change" });
  const main = h(
    "button",
    { type: "button", class: "term-main", tabIndex: -1, "aria-keyshortcuts": "a r m Enter" },
    bar,
    text,
    variants,
    mark,
  );
  const score = h("span", { class: "term-score number" });
  const documents = h("span", { class: "term-documents number" });
  const act = (name, label, run) => iconButton(name, label, () => run(element), { tabIndex: -1 });
  const yes = act("check", "Accept", judge.accept);
  const no = act("cross", "Reject", judge.reject);
  const move = act("move", "Move", judge.move);
  const element = h("li", { class: "term" }, main, score, documents, h("span", { class: "term-tools" }, yes, no, move));
  main.addEventListener("click", () => judge.why(element));
  element.update = ({ term, place, best, category, change }) => {
    Object.assign(element.dataset, { term: term.term, category: category.id });
    const accepted = holds(category.pinned, term.term);
    const rejected = holds(category.negative, term.term);
    element.dataset.state = rejected ? "rejected" : accepted ? "pinned" : term.state === "pinned" ? "" : term.state;
    bar.style.setProperty("width", `${best > 0 ? (100 * Math.sqrt(Math.max(term.score, 0) / best)).toFixed(1) : 0}%`);
    say(text, term.term);
    say(variants, term.variants.join(", "));
    say(score, term.score.toFixed(2));
    say(documents, term.documents.toLocaleString("en"));
    const from = change?.moved[term.term];
    const came = Boolean(change && !change.new && change.came.includes(term.term));
    say(mark, came ? "new" : from ? `${from > place + 1 ? "↑" : "↓"}${from}` : "");
    mark.title = from ? `was number ${from}` : "";
    element.classList.toggle("came", came);
    element.classList.toggle("moved", Boolean(from));
    const state =
      { pinned: ", accepted", name: ", the name itself", rejected: ", rejected" }[element.dataset.state] ?? "";
    main.setAttribute(
      "aria-label",
      `${term.term}${state}${came ? ", new" : from ? `, was number ${from}` : ""}, score ${term.score.toFixed(2)}, in ${term.documents} documents`,
    );
    main.title = [term.term, ...term.variants].join(", ");
    yes.setAttribute("aria-pressed", String(accepted));
    for (const [button, verb] of [
      [yes, accepted ? "Undo accept" : "Accept"],
      [no, "Reject"],
      [move, "Move to another category"],
    ]) {
      button.setAttribute("aria-label", `${verb}: ${term.term}`);
      button.title = verb;
    }
    no.disabled = element.dataset.state === "name";
  };
  return element;
}
