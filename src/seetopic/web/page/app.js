// The frame of the page: which view the address names, the header, the theme, your name, and what every view shares.

import * as api from "./api.js";
import { announce, banner, conflict, notify } from "./notices.js";
import { inWords } from "./edits.js";
import { empty, fill, h, iconButton, note, say } from "./dom.js";
import { OpenProject } from "./project.js";

const TABS = { topics: ["Topics", "./bench.js"], map: ["Map", "./map.js"], annotate: ["Annotate", "./rounds.js"], compare: ["Compare", "./compare.js"], takeaway: ["Take away", "./takeaway.js"], history: ["History", "./history.js"] };
const VIEWS = { "": "./start.js", open: "./opening.js", corpus: "./corpus.js" };
const byId = (id) => document.getElementById(id);

let workbench = null;
let open = null; // the open project
let view = null; // {key, stop, route} of what is shown

function kept(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key) ?? "";
    localStorage.setItem(key, value);
  } catch { /* a browser that keeps nothing asks again */ }
  return value ?? "";
}

function dressHeader() {
  const theme = byId("theme");
  theme.value = kept("seetopic-theme");
  theme.addEventListener("change", () => {
    kept("seetopic-theme", theme.value);
    if (theme.value) document.documentElement.dataset.theme = theme.value;
    else delete document.documentElement.dataset.theme;
  });
  byId("me").value = kept("seetopic-name");
  byId("me").addEventListener("change", () => kept("seetopic-name", me()));
}

const me = () => byId("me").value.trim();
const parts = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);

async function route() {
  const [first, ...rest] = parts();
  if (first === "main") return;
  if (first !== "project") leaveProject();
  if (first === "project") return showProject(rest[0], rest[1] || "topics", rest.slice(2));
  const source = VIEWS[first ?? ""];
  await show(`${first}/${rest.join("/")}`, source, rest, () => ({ api, workbench, announce, notify, me }));
}

/** Load a view's module and let it draw; a view that is shown already hears of the new address only. */
async function show(key, source, rest, context) {
  if (view?.key === key) return view.route?.(rest);
  view?.stop?.();
  const mine = (view = { key });
  const root = h("div", { class: "view" });
  if (!source) return fill(byId("main"), h("div", { class: "page" }, empty("There is nothing at this address", "The link may be old.", h("a", { class: "button", href: "#/" }, "To the start"))));
  let module;
  try {
    module = await import(source);
  } catch {
    if (view === mine) fill(byId("main"), h("div", { class: "page" }, note("This part of the page could not be loaded; reload the page to try again.", "bad")));
    return;
  }
  if (view !== mine) return;
  fill(byId("main"), root);
  window.scrollTo(0, 0);
  Object.assign(mine, module.show(root, context(), rest) ?? {});
  if (document.activeElement === document.body) byId("main").focus({ preventScroll: true });
}

async function showProject(id, tab, rest) {
  if (open?.id !== id) {
    leaveProject();
    view?.stop?.();
    view = null;
    open = new OpenProject(id, me);
    open.ready = enterProject(open);
  }
  const project = open;
  if (!(await project.ready) || project !== open) return;
  drawTabs(tab);
  const context = () => ({
    api, workbench, open: project, announce, notify, me,
    project: () => project.project, topics: () => project.topics ?? [], refresh: () => project.retryNow(),
  });
  await show(`project/${id}/${tab}`, TABS[tab]?.[1], rest, context);
}

async function enterProject(mine) {
  listen(mine);
  fill(byId("main"), h("div", { class: "view" }, h("div", { class: "loading" }, "Opening the project …")));
  try {
    await mine.open();
  } catch (error) {
    if (open === mine) {
      leaveProject();
      const again = h("button", { type: "button", on: { click: () => route() } }, "Try again");
      fill(byId("main"), h("div", { class: "page" }, empty(error.status === 404 ? "This project is not here" : "The project could not be opened", error.message, error.status === 404 ? h("a", { class: "button primary", href: "#/" }, "To the projects") : again)));
    }
    return false;
  }
  return open === mine;
}

function leaveProject() {
  open?.close();
  open = null;
  for (const id of ["title", "tabs", "tools"]) byId(id).replaceChildren();
  byId("top").classList.remove("in-project");
  document.title = "seetopic workbench";
  banner(null);
}

function listen(project) {
  const here = (run) => (event) => project === open && run(event.detail);
  project.addEventListener("project", here(() => drawHeader(project)));
  project.addEventListener("saving", here(() => drawHeader(project)));
  project.addEventListener("reach", here(() => tellReach(project)));
  project.addEventListener("other", here((last) => notify(`${last?.by || "Someone"} changed this: ${last?.label ?? "another version"}.`, { key: "other" })));
  project.addEventListener("refused", here((refused) => queueMicrotask(() => refused.shown || notify(refused.problem, { kind: "bad", key: "refused" }))));
  project.addEventListener("removed", here((problem) => banner(`This project is gone: ${problem}`)));
  project.addEventListener("conflict", here(({ step, theirs, by, problem }) => {
    if (!step.edit || theirs === undefined) return notify(problem, { kind: "warn", key: "refused" });
    const known = new Map(project.project.categories.map((each) => [each.id, each.name]));
    const told = Array.isArray(theirs) ? theirs.map((each) => known.get(each) ?? each) : theirs;
    conflict({ by, theirs: told, mine: inWords(step.edit, project.project), useMine: () => project.insist(step), keepTheirs: () => announce("Theirs was kept.") });
  }));
}

function tellReach(project) {
  if (project.reached) {
    banner(null);
    return announce("The workbench can be reached again.");
  }
  const unsaved = project.saving ? "your last change is not saved yet, trying again" : "trying again";
  banner(`The workbench cannot be reached; ${unsaved}.`, { "Try now": () => project.retryNow() });
}

function drawTabs(current) {
  byId("top").classList.add("in-project");
  const link = ([tab, [label]]) => h("a", { href: `#/project/${encodeURIComponent(open.id)}/${tab}`, "aria-current": tab === current ? "page" : undefined }, label);
  const drawn = Object.entries(TABS).map(link);
  const held = byId("tabs").contains(document.activeElement);
  fill(byId("tabs"), drawn);
  const now = byId("tabs").querySelector("[aria-current]");
  if (held) now?.focus();
  now?.scrollIntoView({ block: "nearest", inline: "center" });
}

function drawHeader(project) {
  const { title, undo, redo } = project.project;
  document.title = `${title} · seetopic`;
  if (!byId("tools").firstChild) {
    fill(byId("tools"),
      h("span", { class: "saved" }),
      iconButton("undo", "Undo", () => project.undo(), { id: "undo" }),
      iconButton("redo", "Redo", () => project.redo(), { id: "redo" }));
    const field = h("input", { class: "quiet", "aria-label": "Title of the project", maxLength: 120, spellcheck: false });
    field.addEventListener("focus", () => (field.base = project.begin()));
    field.addEventListener("change", () => {
      const text = field.value.trim();
      if (text && text !== project.project.title) project.edit({ kind: "title", title: text }, field.base);
      else field.value = project.project.title;
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") field.value = project.project.title;
      if (event.key === "Enter" || event.key === "Escape") field.blur();
    });
    fill(byId("title"), field);
  }
  const field = byId("title").firstChild;
  if (document.activeElement !== field) field.value = title;
  say(byId("tools").firstChild, project.saving ? "Saving …" : "Saved");
  byId("tools").firstChild.classList.toggle("busy", project.saving);
  named(byId("undo"), "Undo", undo);
  named(byId("redo"), "Redo", redo);
  if (!project.reached) tellReach(project);
}

function named(button, verb, what) {
  button.disabled = !what;
  button.title = what ? `${verb}: ${what}` : `Nothing to ${verb.toLowerCase()}`;
  button.setAttribute("aria-label", button.title);
}

function onKeys(event) {
  if (!open || !(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "z") return;
  // In a field with text that is not sent yet, the browser's own undo is what a person expects.
  if (event.target.matches?.("input, textarea") && event.target.dataset.typing === "true") return;
  event.preventDefault();
  if (event.shiftKey) open.redo();
  else open.undo();
}

async function start() {
  dressHeader();
  window.addEventListener("hashchange", route);
  window.addEventListener("keydown", onKeys);
  window.addEventListener("beforeunload", (event) => open?.saving && event.preventDefault());
  for (;;) {
    try {
      workbench = await api.get("/api/workbench");
      break;
    } catch (error) {
      banner(`${error.message} Trying again.`);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
  banner(null);
  route();
}

start();
