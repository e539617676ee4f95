// The page frame: routing, the open project, and what all views share.

import * as api from "./api.js";
import { announce, banner, conflict, notify } from "./notices.js";
import { inWords } from "./edits.js";
import { empty, fill, h, note } from "./dom.js";
import { clearHeader, drawHeader, drawTabs, dressHeader, me, onTyping } from "./header.js";
import { showPalette } from "./palette.js";
import { OpenProject, unsaved } from "./project.js";

const TABS = {
  topics: ["Topics", "./bench.js"],
  documents: ["Documents", "./documents.js"],
  teach: ["Teach", "./teach.js"],
  trends: ["Trends", "./trends.js"],
  map: ["Map", "./map.js"],
  annotate: ["Annotate", "./rounds.js"],
  compare: ["Compare", "./compare.js"],
  takeaway: ["Export", "./takeaway.js"],
  history: ["History", "./history.js"],
};
const LABELS = Object.fromEntries(Object.entries(TABS).map(([tab, [label]]) => [tab, label]));
const VIEWS = { "": "./start.js", open: "./opening.js", corpus: "./corpus.js" };
const byId = (id) => document.getElementById(id);

let workbench = null;
let open = null; // the open project
let view = null; // {key, stop, route} of the current view

/** The parts of the address; a malformed one leads to no view. */
function parts() {
  try {
    return location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  } catch {
    return ["broken"];
  }
}

async function route() {
  if (!workbench) return; // the first view comes once it is known
  const [first, ...rest] = parts();
  if (first === "project") return showProject(rest[0], rest[1] || "topics", rest.slice(2));
  leaveProject();
  const source = Object.hasOwn(VIEWS, first) ? VIEWS[first] : null;
  await show(`${first}/${rest.join("/")}`, source, rest, () => ({ api, workbench, announce, notify, me }));
}

/** Load and show a view; if it is already shown, only pass it the new address. */
async function show(key, source, rest, context) {
  if (view?.key === key) return view.route?.(rest);
  view?.stop?.();
  const mine = (view = { key });
  const root = h("div", { class: "view" });
  const instead = (...shown) =>
    fill(byId("main"), h("div", { class: "page" }, h("h1", { class: "unseen" }, "seetopic workbench"), shown));
  if (!source) {
    const home = h("a", { class: "button", href: "#/" }, "Go to the start page");
    return instead(empty("Page not found", "The link may be outdated.", home));
  }
  let module;
  try {
    module = await import(source);
  } catch {
    if (view === mine) instead(note("This part of the page could not be loaded; reload the page to try again.", "bad"));
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
  drawTabs(project, LABELS, tab);
  const context = () => ({
    api,
    workbench,
    open: project,
    announce,
    notify,
    me,
    project: () => project.project,
    topics: () => project.topics ?? [],
    refresh: () => project.retryNow(),
  });
  await show(`project/${id}/${tab}`, TABS[tab]?.[1], rest, context);
}

async function enterProject(mine) {
  listen(mine);
  const opening = h("div", { class: "loading", role: "status" }, "Opening the project…");
  fill(byId("main"), h("div", { class: "view" }, h("h1", { class: "unseen" }, "Project"), opening));
  try {
    await mine.open();
  } catch (error) {
    if (open === mine) {
      leaveProject();
      const again = h("button", { type: "button", on: { click: () => route() } }, "Try again");
      fill(
        byId("main"),
        h(
          "div",
          { class: "page" },
          h("h1", { class: "unseen" }, "seetopic workbench"),
          empty(
            error.status === 404 ? "Project not found" : "The project could not be opened",
            error.message,
            error.status === 404 ? h("a", { class: "button primary", href: "#/" }, "Go to the projects") : again,
          ),
        ),
      );
    }
    return false;
  }
  return open === mine;
}

function leaveProject() {
  open?.close();
  open = null;
  clearHeader();
  banner(null);
}

function listen(project) {
  const heard = {
    project: () => drawHeader(project),
    saving: () => {
      drawHeader(project);
      if (!project.reached) tellReach(project);
      else tellStuck(project);
    },
    reach: () => {
      drawHeader(project);
      tellReach(project);
    },
    other: (last) =>
      notify(`${last?.by || "Someone"} changed this: ${last?.label ?? "another version"}.`, { key: "other" }),
    // A view may show it in place first.
    refused: (refused) =>
      queueMicrotask(() => refused.shown || notify(refused.problem, { kind: "bad", key: "refused" })),
    removed: (problem) => banner(`This project is no longer available: ${problem}`),
    conflict: (detail) => tellConflict(project, detail),
  };
  // The outcome of an edit is reported even after leaving its project.
  const always = ["refused", "conflict"];
  for (const [name, run] of Object.entries(heard))
    project.addEventListener(name, (event) => (project === open || always.includes(name)) && run(event.detail));
}

function tellConflict(project, { step, theirs, by, problem }) {
  if (!step.edit || theirs === undefined) return notify(problem, { kind: "warn", key: "refused" });
  const known = new Map(project.project.categories.map((each) => [each.id, each.name]));
  conflict({
    by,
    theirs: Array.isArray(theirs) ? theirs.map((each) => known.get(each) ?? each) : theirs,
    mine: inWords(step.edit, project.project),
    useMine: () => project.insist(step),
    keepTheirs: () => announce("Their version was kept."),
  });
}

function tellStuck(project) {
  if (project.stuck) banner(`Your last change is not saved yet, retrying: ${project.stuck}.`);
  else if (byId("banner").dataset.stuck) banner(null);
  byId("banner").dataset.stuck = project.stuck ? "true" : "";
}

function tellReach(project) {
  if (project.reached) {
    banner(null);
    return announce("The workbench is reachable again.");
  }
  const unsaved = project.saving ? "your last change is not saved yet, retrying" : "retrying";
  banner(`The workbench cannot be reached; ${unsaved}.`, { "Try now": () => project.retryNow() });
}

/** Everything that can be reached from here: the page's own commands, then the other pages. */
function commands() {
  if (!open) return;
  const pages = Object.entries(LABELS).map(([tab, label]) => ({
    label,
    about: "page",
    run: () => (location.hash = `#/project/${encodeURIComponent(open.id)}/${tab}`),
  }));
  const change = (verb, keys, what, run) => (what ? [{ label: `${verb}: ${what}`, keys, run }] : []);
  showPalette([
    ...(view?.commands?.() ?? []),
    ...pages,
    { label: "All projects", about: "page", run: () => (location.hash = "#/") },
    ...change("Undo", "Ctrl Z", open.project.undo, () => open.undo()),
    ...change("Redo", "Ctrl Shift Z", open.project.redo, () => open.redo()),
  ]);
}

function onKeys(event) {
  if (open?.server && (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return commands();
  }
  if (!open || !(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "z") return;
  // In a field, users expect the browser's own undo, unless everything typed in it has been sent.
  if (event.target.matches?.("input, textarea") && event.target.dataset.typing !== "false") return;
  event.preventDefault();
  if (event.shiftKey) open.redo();
  else open.undo();
}

async function start() {
  dressHeader();
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the hash is used for routing
    byId("main").focus();
  });
  window.addEventListener("hashchange", () => workbench && route()); // before that, the start below does it
  window.addEventListener("keydown", onKeys);
  byId("top").addEventListener("goto", commands);
  const typing = () => queueMicrotask(() => open?.server && onTyping(open));
  for (const event of ["input", "focusout"]) document.addEventListener(event, typing);
  window.addEventListener("beforeunload", (event) => unsaved(open) && event.preventDefault());
  for (;;) {
    try {
      workbench = await api.get("/api/workbench");
      break;
    } catch (error) {
      banner(`${error.message} Retrying.`);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
  banner(null);
  // Without a hash, show the corpus that the server was started with.
  if (!location.hash && workbench.given) location.replace(`#/corpus/${encodeURIComponent(workbench.given)}`);
  else route();
}

start();
