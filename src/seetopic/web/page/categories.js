// The list of categories: names edited in place, other names and terms as tags, reordering, and new categories.

import { h, hue, icon, iconButton, keyed, say } from "./dom.js";
import { nameFeedback } from "./feedback.js";
import { sortable } from "./sorting.js";
import { adder, tagsOf } from "./tags.js";

export function categoryList({ open, announce }) {
  const feedback = nameFeedback(open);
  const count = h("span", { class: "soft number" });
  const rows = h("ol", { class: "rows" });
  const fresh = newName(open, feedback, announce);
  const element = h(
    "aside",
    { class: "names", "aria-label": "Categories" },
    h("div", { class: "names-head" }, h("h2", {}, "Categories ", count), feedback.element),
    rows,
    fresh.element,
  );
  const drafts = new Map(); // category -> {text, problem} of a rejected rename

  function place(id, at) {
    const { categories } = open.project;
    const to = Math.max(0, Math.min(at, categories.length - 1));
    const from = categories.findIndex((each) => each.id === id);
    if (from < 0 || from === to) return;
    open.edit({ kind: "place", category: id, at: to });
    announce(`${categories[from].name} is now number ${to + 1} of ${categories.length}`);
  }

  const row = (category) => makeRow({ category, open, feedback, drafts, place, announce, draw });
  function draw() {
    const { categories } = open.project;
    keepTyped(categories);
    say(count, String(categories.length));
    keyed(
      rows,
      categories.map((category, at) => ({ category, at, last: at === categories.length - 1 })),
      ({ category }) => category.id,
      ({ category }) => row(category),
      (each, item) => each.update(item),
    );
    fresh.draw(categories.length === 0);
  }
  /** If someone else removes a category while its name is being typed, move the text to the field for new ones. */
  function keepTyped(categories) {
    const row = rows.contains(document.activeElement) ? document.activeElement.closest(".row") : null;
    const field = row?.querySelector(".name");
    if (field?.dataset.typing !== "true" || categories.some((each) => each.id === row.dataset.key)) return;
    fresh.refused([field.value], "This category was removed in the meantime; your text is kept here.");
  }
  sortable(rows, place);

  return {
    element,
    draw,
    stop: feedback.rest,
    refused(detail) {
      const edit = detail.step.edit;
      const there = open.project.categories.some((each) => each.id === edit?.category);
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

function makeRow({ category: { id }, open, feedback, drafts, place, announce, draw }) {
  const now = () => open.project.categories.find((each) => each.id === id);
  const at = () => open.project.categories.findIndex((each) => each.id === id);
  const more = iconButton(
    "more",
    "More",
    () => {
      const shown = element.classList.toggle("tools-open");
      more.setAttribute("aria-expanded", String(shown));
    },
    { class: "icon-button row-more", "aria-expanded": "false" },
  );
  const grip = h(
    "span",
    { class: "grip", draggable: true, title: "Drag to reorder", "aria-hidden": "true" },
    icon("grip"),
  );
  const field = h("input", { class: "quiet name", spellcheck: false, maxLength: 200, enterKeyHint: "done" });
  const problem = h("p", { class: "problem", hidden: true });
  problem.id = `problem-${id}`;
  const tags = h("div", { class: "tags" });
  const add = adder(open, () => now(), announce);
  const up = iconButton("up", "Up", () => {
    place(id, at() - 1);
    up.focus();
  });
  const down = iconButton("down", "Down", () => {
    place(id, at() + 1);
    down.focus();
  });
  const remove = iconButton("cross", "Remove", () => open.edit({ kind: "remove", category: id }));
  const plus = iconButton("plus", "Add a name or a term", () => add.toggle(plus), { "aria-expanded": "false" });
  const element = h(
    "li",
    { class: "row" },
    h("div", { class: "row-line" }, grip, field, more, h("span", { class: "row-tools" }, plus, up, down, remove)),
    problem,
    tags,
    add.element,
  );

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
    if (event.key === "Enter") settle();
    else if (event.key === "Escape") {
      drafts.delete(id);
      field.value = now()?.name ?? "";
      sync();
      feedback.rest();
      draw();
    } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      place(id, at() + (event.key === "ArrowUp" ? -1 : 1));
    }
  });

  element.update = ({ category, at: number, last }) => {
    const draft = drafts.get(id);
    element.style.setProperty("--hue", hue(number));
    const typing = document.activeElement === field && field.dataset.typing === "true";
    if (!typing) {
      field.value = draft?.text ?? category.name;
      field.base = open.begin(); // the user's own change must not cause a conflict
    }
    field.title = category.name;
    field.setAttribute("aria-label", `Name of category ${number + 1}`);
    field.toggleAttribute("aria-invalid", Boolean(draft));
    if (draft) field.setAttribute("aria-describedby", problem.id);
    problem.hidden = !draft;
    say(problem, draft?.problem ?? "");
    up.disabled = number === 0;
    down.disabled = last;
    for (const [button, verb] of [
      [up, "Move up"],
      [down, "Move down"],
      [remove, "Remove"],
      [plus, "Add a name or a term to"],
      [more, "More about"],
    ]) {
      button.setAttribute("aria-label", `${verb}: ${category.name}`);
      button.title = verb.replace(/ (to|about)$/, "");
    }
    tagsOf(tags, category, open);
    add.draw(category);
  };
  return element;
}

/** The field at the end: Enter adds a name, and pasting several lines adds several. */
function newName(open, feedback, announce) {
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
    "Type what you want to find, such as “health & personal care”. Paste a list to add several at once.",
  );
  const form = h("form", { class: "add-name" }, field, h("button", { type: "submit" }, "Add"));
  const add = (names) => {
    const given = [...new Set(names.map((name) => name.trim().replace(/\s+/g, " ")).filter(Boolean))];
    // Known names in a list are skipped; a single known name is rejected with a message.
    const known = new Set(open.project.categories.flatMap((each) => [each.name, ...each.names]).map((each) => each.toLowerCase()));
    const clean = given.length > 1 ? given.filter((name) => !known.has(name.toLowerCase())) : given;
    if (!clean.length) return announce("All of these are already names");
    open.edit({ kind: "add", names: clean });
    field.value = "";
    field.dataset.typing = "false";
    problem.hidden = true;
    feedback.rest();
    announce(`Adding ${clean.join(", ")}`);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    add([field.value]);
  });
  field.addEventListener("input", () => {
    field.dataset.typing = String(field.value !== "");
    problem.hidden = true;
    feedback.look(field.value, "");
  });
  field.addEventListener("blur", () => feedback.rest());
  field.addEventListener("paste", (event) => {
    const lines = (event.clipboardData?.getData("text") ?? "").split(/\r?\n/).filter((line) => line.trim());
    if (lines.length < 2) return;
    event.preventDefault();
    add(lines);
  });
  return {
    element: h("div", { class: "add-place" }, form, problem, first),
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
