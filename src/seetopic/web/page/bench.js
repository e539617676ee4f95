// The bench: categories on one side, their topics on the other, and a reading panel for one topic.

import { get } from "./api.js";
import { categoryList } from "./categories.js";
import { topicCards } from "./cards.js";
import { fits } from "./choose.js";
import { debounce, h, hue, say } from "./dom.js";
import { meaningsButton } from "./explain.js";
import { showKeys } from "./keys.js";
import { readingPanel } from "./reading.js";
import { settingsButton } from "./settings.js";
import { uncoveredPanel } from "./uncovered.js";

const FEW = 8; // categories that are shown as cards at first; more of them as an overview
const WAIT = 400; // milliseconds after the last change, before the documents are counted
const looks = new Map(); // project -> what was folded, for as long as the page is open

export function show(root, context, rest) {
  const { open, announce } = context;
  const base = `#/project/${encodeURIComponent(open.id)}/topics`;
  const address = (...parts) => [base, ...parts.map(encodeURIComponent)].join("/");
  const goTo = Object.assign((...parts) => (location.hash = address(...parts)), { address });
  const look = lookOf(open, () => draw());
  const jump = (id, { focus = false } = {}) => {
    look.reveal(id);
    draw();
    cards.bring(id, { point: true, focus });
  };
  const list = categoryList(context, look, jump);
  look.describe = (id) => {
    look.reveal(id);
    list.describe(id);
  };
  const cards = topicCards(context, goTo, look);
  const panel = readingPanel(context, goTo);
  const uncovered = uncoveredPanel(context, ([id]) => jump(id));
  const status = h("p", { class: "result soft", "aria-live": "polite" });
  const modes = modeSwitch(look, () => draw());
  const head = h(
    "div",
    { class: "bench-head" },
    h("h2", {}, "Topics"),
    status,
    h("span", { class: "actions" }, modes, settingsButton(open)),
  );
  const legend = h(
    "div",
    { class: "legend-line soft small" },
    h("span", {}, h("kbd", {}, "?"), " shows all keys"),
    meaningsButton(),
  );
  root.classList.add("bench");
  root.append(
    h("h1", { class: "unseen" }, "Categories and topics"),
    list.element,
    h("section", { class: "topics", "aria-label": "Topics" }, head, legend, cards.element, uncovered.element),
    panel.element,
  );

  const count = debounce(WAIT, async () => {
    const version = open.topicsVersion;
    if (!open.topics?.length) return;
    try {
      const found = await get(`${open.path}/overview`, { signal: gone.signal });
      if (open.topicsVersion !== version) return;
      look.facts = new Map(found.lines.map((each) => [each.category, each]));
      cards.know(found.lines);
      list.draw();
    } catch {
      /* the shares stay unknown; everything else works without them */
    }
  });
  const gone = new AbortController();
  const draw = () => {
    modes.update();
    list.draw();
    cards.draw();
    panel.refresh();
    say(status, sentence(open));
    root.classList.toggle("waiting", open.saving);
  };
  const lookFurther = () => {
    count();
    uncovered.load();
  };
  const heard = {
    project: draw,
    saving: () => {
      root.classList.toggle("waiting", open.saving);
      if (open.saving) {
        // Nobody needs what belongs to the topics before an edit, and computing it would delay the new ones.
        count.cancel();
        uncovered.wait();
      } else if (open.topicsVersion === open.version) lookFurther();
    },
    topics: () => {
      draw();
      lookFurther();
    },
    refused: (event) => list.refused(event.detail),
  };
  for (const [name, run] of Object.entries(heard)) open.addEventListener(name, run);
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, dialog")) return;
    const run = { "?": showKeys, "/": list.focusFilter, n: list.focusNew }[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  document.addEventListener("keydown", onKey);
  draw();
  lookFurther();
  open.refresh();
  const route = (parts) => {
    panel.show(parts);
    root.classList.toggle("reading-open", Boolean(parts[0]));
    look.read = parts[0] || null;
    list.draw();
    cards.draw();
    if (parts[0]) cards.bring(parts[0]);
  };
  route(rest);
  return {
    route,
    /** What the palette can do here. */
    commands: () => [
      ...open.project.categories.map(({ id, name }) => ({
        label: name,
        about: "category",
        hue: hue(id),
        run: () => jump(id, { focus: true }),
      })),
      { label: "Add a category", keys: "N", run: list.focusNew },
      { label: look.lines ? "Show topics as cards" : "Show the overview", run: () => look.set(!look.lines) },
      { label: "Unfold all topics", run: () => look.foldAll(false) },
      { label: "Fold all topics", run: () => look.foldAll(true) },
      { label: "Keyboard shortcuts", keys: "?", run: showKeys },
    ],
    stop() {
      for (const [name, run] of Object.entries(heard)) open.removeEventListener(name, run);
      document.removeEventListener("keydown", onKey);
      gone.abort();
      count.cancel();
      panel.stop();
      uncovered.stop();
      list.stop();
      announce("");
    },
  };
}

/** What is shown and what is folded; kept while the page is open. */
function lookOf(open, changed) {
  const kept = looks.get(open.id) ?? { lines: null, turned: new Set(), collapsed: new Set() };
  looks.set(open.id, kept);
  const above = (id) => {
    const parents = new Map(open.project.categories.map((each) => [each.id, each.parent]));
    const found = [];
    for (let at = parents.get(id); at; at = parents.get(at)) found.push(at);
    return found;
  };
  const look = {
    few: FEW,
    filter: "",
    read: null, // the category in the reading panel
    facts: new Map(),
    collapsed: kept.collapsed, // parents whose children are hidden
    changed,
    /** Whether topics are lines, which unfold, or cards, which fold. */
    get lines() {
      return kept.lines ?? open.project.categories.length > FEW;
    },
    isFolded: (id) => look.lines !== kept.turned.has(open.keyOf(id)),
    fold(id, folded) {
      if (look.lines !== folded) kept.turned.add(open.keyOf(id));
      else kept.turned.delete(open.keyOf(id));
      changed();
    },
    set(lines) {
      kept.lines = lines;
      kept.turned.clear();
      changed();
    },
    foldAll(folded) {
      kept.turned.clear();
      if (look.lines !== folded) for (const each of open.project.categories) kept.turned.add(open.keyOf(each.id));
      changed();
    },
    /** Make sure that a category's card is shown and unfolded. */
    reveal(id) {
      look.filter = "";
      for (const each of above(id)) look.collapsed.delete(each);
      if (look.lines) kept.turned.add(open.keyOf(id));
      else kept.turned.delete(open.keyOf(id));
    },
    shows(category, topic) {
      if (!look.filter) return !above(category.id).some((each) => look.collapsed.has(each));
      const terms = (topic?.terms ?? []).map((each) => each.term);
      return fits(look.filter, ...category.names, category.name, ...terms);
    },
  };
  return look;
}

function modeSwitch(look, changed) {
  const button = (label, lines) =>
    h("button", { type: "button", on: { click: () => (look.set(lines), changed()) } }, label);
  const [overview, cards] = [button("Overview", true), button("Cards", false)];
  const element = h("span", { class: "modes", role: "group", "aria-label": "How topics are shown" }, overview, cards);
  element.update = () => {
    overview.setAttribute("aria-pressed", String(look.lines));
    cards.setAttribute("aria-pressed", String(!look.lines));
    overview.tabIndex = look.lines ? 0 : -1; // arrows lead to the other one
    cards.tabIndex = look.lines ? -1 : 0;
  };
  element.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const to = event.key === "ArrowLeft" ? overview : cards;
    to.focus();
    to.click();
  });
  return element;
}

/** The effect of the last edit, in one line. */
function sentence(open) {
  if (open.topics === null) return open.problem || !open.project.categories.length ? "" : "Reading the index and finding topics…";
  const counted = (lists) => lists.reduce((sum, list) => sum + list.length, 0);
  const changes = Object.values(open.changes);
  const took = open.seconds === null ? "" : ` in ${open.seconds.toFixed(2)} s`;
  const topics = `${open.topics.length} ${open.topics.length === 1 ? "topic" : "topics"}${took}`;
  if (!changes.length) return topics;
  const came = counted(changes.map((each) => each.came));
  const went = counted(changes.map((each) => each.went));
  return `${topics}: ${came} ${came === 1 ? "term" : "terms"} added, ${went} removed, in ${changes.length} ${changes.length === 1 ? "topic" : "topics"}`;
}
