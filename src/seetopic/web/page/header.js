// The header: project title and tabs, undo and redo, save state, user name, and theme.

import { fill, h, icon, iconButton, say } from "./dom.js";

const byId = (id) => document.getElementById(id);

/** The user's name. */
export const me = () => byId("me").value.trim();

function kept(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key) ?? "";
    localStorage.setItem(key, value);
  } catch {
    /* without storage, the choice lasts until the page is closed */
  }
  return value ?? "";
}

export function dressHeader() {
  const theme = byId("theme");
  theme.value = kept("seetopic-theme");
  theme.addEventListener("change", () => {
    kept("seetopic-theme", theme.value);
    if (theme.value) document.documentElement.dataset.theme = theme.value;
    else delete document.documentElement.dataset.theme;
  });
  const prefs = byId("prefs");
  prefs.firstElementChild.append(icon("person"));
  document.addEventListener("pointerdown", (event) => prefs.contains(event.target) || (prefs.open = false));
  prefs.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !prefs.open) return;
    prefs.open = false;
    prefs.firstElementChild.focus();
  });
  byId("tabs").addEventListener("keydown", (event) => {
    const links = [...byId("tabs").children];
    const to = links.indexOf(event.target) + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0);
    if (event.target !== links[to]) links[to]?.focus();
  });
  byId("me").value = kept("seetopic-name");
  byId("me").addEventListener("change", () => kept("seetopic-name", me()));
}

export function clearHeader() {
  for (const id of ["title", "tabs", "tools"]) byId(id).replaceChildren();
  byId("top").classList.remove("in-project");
  document.title = "seetopic workbench";
}

/** The views of a project as links; `labels` are keyed by address. */
export function drawTabs(project, labels, current) {
  byId("top").classList.add("in-project");
  const link = ([tab, label]) => {
    const href = `#/project/${encodeURIComponent(project.id)}/${tab}`;
    // One tab stop: arrows lead to the other pages.
    return h("a", { href, tabIndex: tab === current ? 0 : -1, "aria-current": tab === current ? "page" : undefined }, label);
  };
  const held = byId("tabs").contains(document.activeElement);
  fill(byId("tabs"), Object.entries(labels).map(link));
  const now = byId("tabs").querySelector("[aria-current]");
  if (held) now?.focus();
  now?.scrollIntoView({ block: "nearest", inline: "center" });
}

export function drawHeader(project) {
  const { title, undo, redo } = project.project;
  document.title = `${title} · seetopic`;
  if (!byId("tools").firstChild) begin(project);
  const field = byId("title").firstChild;
  if (document.activeElement !== field) field.value = title;
  const saved = byId("tools").firstChild;
  const typing = document.querySelector("[data-typing=true]");
  const unsaved = project.stuck || (project.saving && !project.reached);
  say(saved, unsaved ? "Not saved" : project.saving ? "Saving…" : typing ? "Typing…" : project.reached ? "Saved" : "Offline");
  saved.title = project.stuck ?? "";
  saved.classList.toggle("busy", project.saving);
  saved.classList.toggle("stuck", Boolean(unsaved) || !project.reached);
  named(byId("undo"), "Undo", undo);
  named(byId("redo"), "Redo", redo);
}

/** Shows what is saved while something is typed, too. */
export const onTyping = (project) => {
  if (byId("tools").firstChild) drawHeader(project);
};

function begin(project) {
  fill(byId("title"), titleField(project));
  fill(
    byId("tools"),
    h("span", { class: "saved" }),
    iconButton("undo", "Undo", () => project.undo(), { id: "undo" }),
    iconButton("redo", "Redo", () => project.redo(), { id: "redo" }),
    h(
      "button",
      { type: "button", class: "go-to", "aria-label": "Go to", title: "Go to any category, page or command", "aria-keyshortcuts": "Control+K", on: { click: () => byId("top").dispatchEvent(new Event("goto")) } },
      icon("search"),
      h("span", { class: "go-label" }, "Go to"),
      h("kbd", { "aria-hidden": "true" }, "Ctrl K"),
    ),
  );
}

function titleField(project) {
  const field = h("input", { class: "quiet", "aria-label": "Project title", maxLength: 120, spellcheck: false });
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
  return field;
}

function named(button, verb, what) {
  button.disabled = !what;
  button.title = what ? `${verb}: ${what}` : `Nothing to ${verb.toLowerCase()}`;
  button.setAttribute("aria-label", button.title);
}
