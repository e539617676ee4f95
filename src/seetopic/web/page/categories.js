// The categories as an outline: names edited in place, moved by drag or keys, indented below each other, and added.

import { h, hue, icon, iconButton, keyed, say } from "./dom.js";
import { below } from "./edits.js";
import { nameFeedback } from "./feedback.js";
import { popover } from "./popover.js";
import { sortable } from "./sorting.js";
import { adder, tagsOf } from "./tags.js";
import { depthsOf } from "./cards.js";

/** `look` is what is shown, shared with the topics; `jump(id)` shows a category's card. */
export function categoryList({ open, announce }, look, jump) {
  const feedback = nameFeedback(open);
  const count = h("span", { class: "soft number" });
  const rows = h("ol", { class: "rows", "aria-label": "Categories" });
  const fresh = newName(open, feedback, announce, (ids) => {
    look.filter = filter.value = "";
    draw();
    jump(ids[0]);
  });
  const filter = h("input", {
    type: "search",
    class: "name-filter",
    placeholder: "Filter by name or term",
    "aria-label": "Filter categories and topics",
    spellcheck: false,
  });
  filter.addEventListener("input", () => {
    look.filter = filter.value.trim();
    look.changed();
  });
  filter.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !filter.value) return;
    look.filter = filter.value = "";
    look.changed();
  });
  const more = h("button", { type: "button", class: "plain names-more", "aria-expanded": "false" });
  more.addEventListener("click", () => {
    more.setAttribute("aria-expanded", String(element.classList.toggle("names-open")));
    draw();
  });
  const element = h(
    "aside",
    { class: "names", "aria-label": "Categories" },
    h("div", { class: "names-head" }, h("h2", {}, "Categories ", count), fresh.element, feedback.element, filter),
    rows,
    more,
  );
  const drafts = new Map(); // category -> {text, problem} of a rejected rename

  const all = () => open.project.categories;
  const byId = (id) => all().find((each) => each.id === id);
  const beside = (each) => all().filter((other) => other.parent === each.parent);
  const placeOf = (each, own = beside(each)) => own.findIndex((other) => other.id === each.id);

  function nest(id, parent, before, told) {
    open.edit({ kind: "nest", category: id, parent, before: before ?? null });
    announce(told);
    rows.querySelector(`[data-key="${CSS.escape(open.keyOf(id))}"] .name`)?.scrollIntoView({ block: "nearest" });
  }

  const moves = {
    up(id) {
      const each = byId(id);
      const own = beside(each);
      const at = placeOf(each);
      if (at > 0) nest(id, each.parent, own[at - 1].id, `${each.name} is now before ${own[at - 1].name}`);
    },
    down(id) {
      const each = byId(id);
      const own = beside(each);
      const at = placeOf(each);
      if (at < own.length - 1) nest(id, each.parent, own[at + 2]?.id, `${each.name} is now after ${own[at + 1].name}`);
    },
    indent(id) {
      const each = byId(id);
      const above = beside(each)[placeOf(each) - 1];
      if (!above) return announce(`${each.name} has no category before it to be moved below`);
      look.collapsed.delete(above.id);
      nest(id, above.id, null, `${each.name} is now below ${above.name}`);
    },
    outdent(id) {
      const each = byId(id);
      const parent = byId(each.parent);
      if (!parent) return announce(`${each.name} is at the top level already`);
      nest(id, parent.parent, beside(parent)[placeOf(parent) + 1]?.id, `${each.name} is now beside ${parent.name}`);
    },
  };

  const tools = { open, feedback, drafts, moves, announce, draw, look, jump, byId, beside, placeOf };
  function draw() {
    const categories = all();
    keepTyped(categories);
    say(count, String(categories.length));
    const depths = depthsOf(categories);
    const parents = new Set(categories.map((each) => each.parent));
    const topics = new Map((open.topics ?? []).map((topic) => [topic.category, topic]));
    const shown = categories
      .map((category, at) => ({ category, at, depth: depths.get(category.id), isParent: parents.has(category.id) }))
      .filter(({ category }) => look.shows(category, topics.get(category.id)) || drafts.has(category.id));
    keyed(
      rows,
      shown,
      ({ category }) => open.keyOf(category.id),
      ({ category }) => makeRow(category, tools),
      (each, item) => each.update(item),
    );
    rove(current?.isConnected ? current : rows.firstElementChild);
    filter.hidden = categories.length <= look.few && !look.filter;
    say(more, element.classList.contains("names-open") ? "Hide the categories" : `Show all ${categories.length} categories`);
    more.hidden = categories.length <= look.few;
    element.classList.toggle("many", categories.length > look.few);
    fresh.draw(categories.length === 0);
  }

  // One row is a tab stop; arrows move to the others.
  let current = null;
  function rove(row) {
    current = row;
    for (const each of rows.children)
      for (const control of each.querySelectorAll(".name, .row-line button:not(.go)"))
        control.tabIndex = each === row ? 0 : -1;
  }
  rows.addEventListener("focusin", (event) => {
    const row = event.target.closest(".row");
    if (row && row !== current) rove(row);
  });
  rows.addEventListener("keydown", (event) => {
    if (!event.target.matches(".name") || event.altKey || event.ctrlKey || event.isComposing) return;
    const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!next) return;
    event.preventDefault();
    event.target.closest(".row")[next]?.querySelector(".name").focus();
  });

  /** If someone else removes a category while its name is being typed, move the text to the field for new ones. */
  function keepTyped(categories) {
    const row = rows.contains(document.activeElement) ? document.activeElement.closest(".row") : null;
    const field = row?.querySelector(".name");
    if (field?.dataset.typing !== "true" || categories.some((each) => open.keyOf(each.id) === row.dataset.key)) return;
    fresh.refused([field.value], "This category was removed in the meantime; your text is kept here.");
  }
  sortable(rows, (key, target, where) => {
    const [id, to] = [key, target].map((each) => open.idOf(each));
    const [moved, there] = [byId(id), byId(to)];
    if (!moved || !there || below(all(), id).has(to)) return;
    if (where === "inside") return nest(id, to, null, `${moved.name} is now below ${there.name}`);
    const own = beside(there).filter((each) => each.id !== id);
    const before = where === "before" ? to : own[placeOf(there, own) + 1]?.id;
    nest(id, there.parent, before, `${moved.name} is now ${where} ${there.name}`);
  });

  return {
    element,
    draw,
    focusFilter: () => filter.focus(),
    focusNew: () => fresh.focus(),
    /** Ask what a category covers. */
    describe(id) {
      element.classList.add("names-open");
      more.setAttribute("aria-expanded", "true");
      draw();
      const row = rows.querySelector(`[data-key="${CSS.escape(open.keyOf(id))}"]`);
      row?.scrollIntoView({ block: "nearest" });
      row?.describe();
    },
    stop: feedback.rest,
    refused(detail) {
      const edit = detail.step.edit;
      const there = all().some((each) => each.id === edit?.category);
      if (edit?.kind === "rename" && there) drafts.set(edit.category, { text: edit.name, problem: detail.problem });
      else if (edit?.kind === "rename") fresh.refused([edit.name], detail.problem);
      else if (edit?.kind === "add") fresh.refused(edit.names, detail.problem);
      else return;
      detail.shown = true;
      announce(detail.problem);
      draw();
    },
  };
}

function makeRow(category, { open, feedback, drafts, moves, announce, draw, look, jump, byId, beside, placeOf }) {
  let id = category.id; // it changes once when the server has given a new category its id
  const now = () => byId(id);
  const fold = iconButton("fold", "Fold", () => {
    if (!look.collapsed.delete(id)) look.collapsed.add(id);
    look.changed();
  }, { class: "icon-button fold" });
  const grip = h(
    "span",
    { class: "grip", draggable: true, title: "Drag to move; drop it on another to put it below", "aria-hidden": "true" },
    icon("grip"),
  );
  const field = h("input", { class: "quiet name", spellcheck: false, maxLength: 200, enterKeyHint: "done" });
  const problem = h("p", { class: "problem", hidden: true });
  problem.id = `problem-${id}`;
  const tags = h("div", { class: "tags" });
  const add = adder(open, () => now(), announce);
  const share = h("span", { class: "row-share number soft" });
  // The keyboard has Ctrl + Enter and the palette for it.
  const go = iconButton("jump", "Show its topic", () => jump(id, { focus: true }), { class: "icon-button go", tabIndex: -1 });
  const more = iconButton("more", "More", () => menu(), { "aria-haspopup": "menu" });
  const element = h(
    "li",
    { class: "row" },
    h("div", { class: "row-line" }, grip, fold, field, share, go, more),
    problem,
    tags,
    add.element,
  );

  function menu() {
    const own = beside(now());
    const at = placeOf(now());
    const items = [
      ["Describe what it covers", "", () => add.show(more, "covers")],
      ["Add a name or a term", "", () => add.show(more, "also")],
      ["Move up", "Alt ↑", at > 0 && (() => moves.up(id))],
      ["Move down", "Alt ↓", at < own.length - 1 && (() => moves.down(id))],
      ["Indent: below the one before", "Alt →", at > 0 && (() => moves.indent(id))],
      ["Outdent: one level up", "Alt ←", now().parent && (() => moves.outdent(id))],
      ["Remove", "", () => open.edit({ kind: "remove", category: id }), "danger"],
    ];
    const run = (action) => () => {
      shown.close(true);
      action();
    };
    const shown = popover(
      more,
      h(
        "div",
        { class: "menu", role: "menu", "aria-label": `More about ${now().name}` },
        items.map(([label, keys, action, kind = ""]) =>
          h(
            "button",
            { type: "button", role: "menuitem", class: kind, disabled: !action, on: { click: action ? run(action) : () => {} } },
            h("span", { class: "choice-label" }, label),
            keys ? h("kbd", {}, keys) : null,
          ),
        ),
      ),
      more,
    );
  }

  const sync = () => {
    field.dataset.typing = String(field.value !== now()?.name);
  };
  field.addEventListener("focus", () => {
    field.base = open.begin();
  });
  field.addEventListener("input", () => {
    drafts.delete(id);
    problem.hidden = true;
    field.removeAttribute("aria-invalid");
    sync();
    feedback.look(field.value, id);
  });
  const settle = () => {
    const text = field.value.trim().replace(/\s+/g, " ");
    const name = now()?.name;
    if (name === undefined || drafts.has(id)) return;
    if (!text || text === name) field.value = name;
    else open.edit({ kind: "rename", category: id, name: text }, field.base);
    field.base = open.begin();
    sync();
  };
  field.addEventListener("blur", () => {
    settle();
    feedback.rest();
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const move = event.altKey && { ArrowUp: "up", ArrowDown: "down", ArrowRight: "indent", ArrowLeft: "outdent" }[event.key];
    if (event.key === "Enter" && event.ctrlKey) jump(id, { focus: true });
    else if (event.key === "Enter") {
      settle();
      feedback.rest(); // looking the name up would delay its topics
    } else if (event.key === "Escape") {
      drafts.delete(id);
      field.value = now()?.name ?? "";
      sync();
      feedback.rest();
      draw();
    } else if (move) {
      event.preventDefault();
      moves[move](id);
    }
  });

  element.describe = () => add.show(more, "covers");
  element.update = ({ category, at, depth, isParent }) => {
    id = category.id;
    const draft = drafts.get(id);
    element.style.setProperty("--hue", hue(id));
    element.style.setProperty("--depth", String(depth));
    element.classList.toggle("unsaved", id.startsWith("n"));
    element.classList.toggle("read", look.read === id);
    const folded = look.collapsed.has(id);
    fold.hidden = !isParent;
    fold.setAttribute("aria-expanded", String(!folded));
    fold.setAttribute("aria-label", `${folded ? "Show" : "Hide"} what is below ${category.name}`);
    fold.title = folded ? "Show what is below it" : "Hide what is below it";
    const typing = document.activeElement === field && field.dataset.typing === "true";
    if (!typing) {
      field.value = draft?.text ?? category.name;
      field.base = open.begin(); // the user's own change must not cause a conflict
    }
    field.title = category.name;
    field.setAttribute("aria-label", `Name of category ${at + 1}${depth ? `, level ${depth + 1}` : ""}`);
    field.toggleAttribute("aria-invalid", Boolean(draft));
    if (draft) field.setAttribute("aria-describedby", problem.id);
    problem.hidden = !draft;
    say(problem, draft?.problem ?? "");
    const known = look.facts.get(id)?.share;
    say(share, known === undefined ? "" : known > 0 && known < 0.01 ? "<1%" : `${Math.round(100 * known)}%`);
    share.title = isParent ? "Share of the documents, with all below it" : "Share of the documents";
    go.setAttribute("aria-label", `Show the topic: ${category.name}`);
    more.setAttribute("aria-label", `More about: ${category.name}`);
    tagsOf(tags, category, open);
    add.draw(category);
  };
  return element;
}

/** Lines of an outline as names and levels; indented lines are below the ones before them. */
export function outlineOf(text) {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replaceAll("\t", "    "))
    .filter((line) => line.trim());
  const indents = lines.map((line) => line.length - line.trimStart().length);
  const steps = [...new Set(indents)].sort((one, two) => one - two);
  const least = indents.length ? indents[0] : 0;
  const seen = new Set();
  const found = [];
  const path = [];
  lines.forEach((line, at) => {
    const name = line.trim().replace(/\s+/g, " ");
    const level = indents[at] <= least ? 0 : steps.indexOf(indents[at]);
    while (path.length && path.at(-1).level >= level) path.pop();
    path.push({ level, name: name.toLowerCase() });
    const key = path.map((each) => each.name).join(" > ");
    if (!seen.has(key)) found.push({ name, level });
    seen.add(key);
  });
  return found;
}

/** The field for new names: Enter adds a name, and pasting several lines adds several. */
function newName(open, feedback, announce, added) {
  const field = h("input", {
    class: "new-name",
    placeholder: "Add a category",
    "aria-label": "Name of a new category",
    spellcheck: false,
    maxLength: 200,
    enterKeyHint: "done",
  });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const first = h(
    "p",
    { class: "soft small" },
    "Type what you want to find, such as “health & personal care”. Paste a list to add several at once; indented lines go below the line before.",
  );
  const form = h("form", { class: "add-name" }, field, h("button", { type: "submit" }, "Add"));
  const add = (lines) => {
    // Known names in a list are skipped; a single known name is rejected with a message.
    const known = new Set(open.project.categories.flatMap((each) => [each.name, ...each.names]).map((each) => each.toLowerCase()));
    const clean = lines.length > 1 ? lines.filter(({ name }) => !known.has(name.toLowerCase())) : lines;
    if (!clean.length) return announce("All of these are already names");
    const names = clean.map((each) => each.name);
    const levels = clean.map((each) => each.level);
    const ids = open.edit({ kind: "add", names, ...(levels.some(Boolean) ? { levels } : {}) });
    field.value = "";
    field.dataset.typing = "false";
    problem.hidden = true;
    feedback.rest();
    announce(`Adding ${names.join(", ")}`);
    added(ids);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = field.value.trim().replace(/\s+/g, " ");
    if (name) add([{ name, level: 0 }]);
  });
  field.addEventListener("input", () => {
    field.dataset.typing = String(field.value !== "");
    problem.hidden = true;
    feedback.look(field.value, "");
  });
  field.addEventListener("blur", () => feedback.rest());
  field.addEventListener("paste", (event) => {
    const lines = outlineOf(event.clipboardData?.getData("text") ?? "");
    if (lines.length < 2) return;
    event.preventDefault();
    add(lines);
  });
  return {
    element: h("div", { class: "add-place" }, form, problem, first),
    focus: () => field.focus(),
    draw: (none) => {
      first.hidden = !none;
    },
    refused(names, sentence) {
      if (!field.value) field.value = names.join(", ");
      say(problem, sentence);
      problem.hidden = false;
    },
  };
}
