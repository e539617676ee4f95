// The topics: as cards, or as an overview of one line each, which unfolds to the card.

import { empty, fill, h, hue, iconButton, keyed, say, skeleton } from "./dom.js";
import { holds } from "./edits.js";
import { MEANINGS } from "./explain.js";
import { judging } from "./judging.js";

const FIVE = 5; // terms in the overview

/** `look` is what is shown: {lines, shows(category, topic), isFolded(id), fold(id, folded)}. */
export function topicCards(context, goTo, look) {
  const { open } = context;
  const grid = h("ol", { class: "topic-cards", "aria-label": "Topics" });
  const place = h("div", { class: "nothing" });
  const heads = h(
    "div",
    { class: "line-heads", "aria-hidden": "true" },
    ["", "Topic", "Terms", "Share", "Confidence", "Found"].map((label, at) =>
      h("span", { title: [MEANINGS.share, MEANINGS.confidence, MEANINGS.found][at - 3] ?? "" }, label),
    ),
  );
  const element = h("div", { class: "topic-place" }, place, heads, grid);
  const judge = judging(grid, context, goTo, { set: look.fold });
  let facts = new Map(); // category -> its share and how many of its documents its terms find

  function draw() {
    const { categories } = open.project;
    const topics = new Map((open.topics ?? []).map((topic) => [topic.category, topic]));
    const depths = depthsOf(categories);
    const shown =
      open.problem && open.topics === null
        ? []
        : categories.filter((each) => look.shows(each, topics.get(each.id)));
    fill(place, nothing(open, categories, shown));
    heads.hidden = !look.lines || !shown.length;
    grid.classList.toggle("overview-lines", look.lines);
    grid.classList.toggle("cards", !look.lines);
    const keep = judge.held();
    const most = Math.max(0.01, ...[...facts.values()].map((each) => each.share)); // bars compare the topics
    keyed(
      grid,
      shown.map((category) => ({
        category,
        depth: depths.get(category.id),
        topic: topics.get(category.id),
        change: open.changes[category.id],
        folded: look.isFolded(category.id),
        facts: facts.get(category.id),
        most,
        read: look.read === category.id,
      })),
      ({ category }) => open.keyOf(category.id),
      () => card(judge, goTo, look),
      (each, item) => each.update(item),
    );
    judge.settle(keep);
    const drawn = String(open.topicsVersion);
    if (open.topics && grid.dataset.version !== drawn) grid.dataset.version = drawn; // the version that is shown
  }
  const cardOf = (category) => grid.querySelector(`[data-category="${CSS.escape(category)}"]`);
  return {
    element,
    draw,
    know(lines) {
      facts = new Map(lines.map((each) => [each.category, each]));
      draw();
    },
    /** Scroll a topic's card into view, and point it out if asked. */
    bring(category, { point = false, focus = false } = {}) {
      const found = cardOf(category);
      found?.scrollIntoView({ block: point ? "start" : "nearest" });
      if (focus) found?.querySelector(".topic-name").focus({ preventScroll: true });
      if (!found || !point) return;
      for (const each of grid.querySelectorAll(".pointed")) each.classList.remove("pointed");
      void found.offsetWidth; // restarts the animation
      found.classList.add("pointed");
    },
  };
}

/** How deep each category is in the tree. */
export function depthsOf(categories) {
  const depths = new Map();
  for (const { id, parent } of categories) depths.set(id, parent ? (depths.get(parent) ?? 0) + 1 : 0);
  return depths;
}

function nothing(open, categories, shown) {
  if (!categories.length)
    return empty(
      "No categories yet",
      "Name what you want to find in these documents; each name becomes a topic as soon as you press Enter.",
    );
  if (open.topics === null && open.problem) return h("p", { class: "note bad", role: "alert" }, open.problem);
  if (!shown.length) return h("p", { class: "soft" }, "No category and no term fits the filter.");
  return null;
}

function card(judge, goTo, look) {
  const fold = iconButton("fold", "Fold", () => look.fold(element.dataset.category, !element.classList.contains("folded")), {
    class: "icon-button fold",
    tabIndex: -1,
  });
  const name = h("a", { class: "topic-name", tabIndex: -1 });
  const five = h("p", { class: "five" });
  const facts = factsOf();
  const line = h("div", { class: "topic-line" }, fold, h("h3", {}, name), five, facts);
  line.addEventListener("click", (event) => {
    if (!event.target.closest("a, button") && look.lines && !String(getSelection()))
      look.fold(element.dataset.category, !element.classList.contains("folded"));
  });
  const also = h("p", { class: "also" });
  const notes = h("div", { class: "notes" });
  const describe = h("button", { type: "button", class: "plain small", on: { click: () => look.describe(element.dataset.category) } });
  const head = h(
    "div",
    { class: "term term-head", "aria-hidden": "true" },
    h("span"),
    h("span", { title: MEANINGS.score }, "score"),
    h("span", { class: "term-documents", title: MEANINGS.docs }, "docs"),
    h("span"),
  );
  const terms = h("ol", { class: "terms" });
  const went = h("p", { class: "went" });
  const waiting = skeleton(4, "Finding its terms…");
  const body = h("div", { class: "topic-body" }, also, notes, describe, head, terms, waiting, went);
  const element = h("li", { class: "topic" }, line, body);
  element.update = ({ category, depth, topic, change, folded, facts: known, most, read }) => {
    element.style.setProperty("--hue", hue(category.id));
    element.style.setProperty("--depth", String(depth ?? 0));
    element.dataset.category = category.id;
    element.classList.toggle("new", Boolean(change?.new));
    element.classList.toggle("folded", folded);
    element.classList.toggle("read", read);
    element.classList.toggle("unsaved", category.id.startsWith("n"));
    fold.setAttribute("aria-expanded", String(!folded));
    fold.setAttribute("aria-label", `${folded ? "Show" : "Hide"} the terms of ${category.name}`);
    fold.title = folded ? "Show its terms" : "Hide its terms";
    name.href = goTo.address(category.id);
    say(name, category.name);
    name.title = `Read about ${category.name}`;
    body.hidden = folded;
    const shownTerms = (topic?.terms ?? []).filter((term) => !holds(category.negative, term.term));
    say(five, topic ? shownTerms.slice(0, FIVE).map((term) => term.term).join(", ") || "no terms" : "finding its terms…");
    facts.update(topic, known, most);
    if (folded) return;
    terms.setAttribute("aria-label", `Terms of ${category.name}`);
    const further = category.names.filter((each) => each !== category.name);
    const told = [further.length && `also: ${further.join(", ")}`, category.description && `covers: ${category.description}`];
    say(also, told.filter(Boolean).join(" · "));
    also.hidden = !told.some(Boolean);
    waiting.hidden = Boolean(topic);
    describe.hidden = !topic?.low;
    say(describe, category.description ? "Change what it covers" : "Describe what it covers");
    head.hidden = !topic;
    if (!topic) return;
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

const percent = (share) => (share > 0 && share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`);

/** Share, confidence, and how many of its documents its terms find. */
function factsOf() {
  const part = (label, key) => {
    const bar = h("span");
    const value = h("b", { class: "number" });
    const element = h(
      "span",
      { class: `fact ${key}`, title: MEANINGS[key] },
      h("span", { class: "fact-label" }, `${label} `),
      h("span", { class: "meter", "aria-hidden": "true" }, bar),
      value,
    );
    return { element, bar, value };
  };
  const share = part("share", "share");
  const sure = part("confidence", "confidence");
  const found = part("found", "found");
  const low = h("span", { class: "low", hidden: true }, "low");
  sure.element.append(low);
  const occurs = h("span", { class: "occurs" });
  const element = h("p", { class: "facts" }, share.element, sure.element, found.element, occurs);
  const put = ({ bar, value }, number, text) => {
    bar.style.setProperty("width", `${number === null ? 0 : Math.round(100 * number)}%`);
    say(value, text);
  };
  element.update = (topic, known, most) => {
    element.classList.toggle("unknown", !topic);
    put(share, known ? known.share / most : null, known ? percent(known.share) : "…");
    put(found, known?.found ?? null, known ? (known.found === null ? "–" : percent(known.found)) : "…");
    if (!topic) return;
    put(sure, topic.confidence, topic.confidence.toFixed(2));
    low.hidden = !topic.low;
    say(occurs, topic.in_vocabulary ? "" : "its name does not occur");
  };
  return element;
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
    const places = from ? from - (place + 1) : 0;
    const moved = places && `${places > 0 ? "up" : "down"} ${Math.abs(places)} ${Math.abs(places) === 1 ? "place" : "places"}`;
    say(mark, came ? "new" : places ? `${places > 0 ? "▲" : "▼"} ${Math.abs(places)}` : "");
    mark.title = moved || "";
    element.classList.toggle("came", came);
    element.classList.toggle("moved", Boolean(places));
    const state =
      { pinned: ", accepted", name: ", the name itself", taught: ", taught", rejected: ", rejected" }[element.dataset.state] ?? "";
    main.setAttribute(
      "aria-label",
      `${term.term}${state}${came ? ", new" : places ? `, ${moved}` : ""}, score ${term.score.toFixed(2)}, in ${term.documents} ${term.documents === 1 ? "document" : "documents"}`,
    );
    main.title = [term.term, ...term.variants].join(", ");
    yes.setAttribute("aria-pressed", String(accepted));
    no.setAttribute("aria-pressed", String(rejected));
    for (const [button, verb] of [
      [yes, accepted ? "Undo accept" : "Accept"],
      [no, rejected ? "Undo reject" : "Reject"],
      [move, "Move to another category"],
    ]) {
      button.setAttribute("aria-label", `${verb}: ${term.term}`);
      button.title = verb;
    }
    no.disabled = element.dataset.state === "name";
  };
  return element;
}
