// The annotators' page: one term at a time, with the question whether it belongs to its category.

import { Answers } from "./answers.js";
import { get, url } from "./api.js";
import { fill, h, icon, marked, note, say } from "./dom.js";
import { counted } from "./telling.js";

const AGAIN = 3000; // milliseconds
const KEYS = { 1: true, j: true, y: true, 0: false, n: false, f: false };
const byId = (id) => document.getElementById(id);
const secret = decodeURIComponent(location.pathname.split("/")[2] ?? "");

let items = []; // {item, category, term, belongs}
let categories = []; // {name, items}
let here = 0; // position of the current term in `items`
let history = []; // [position, previous answer]
let reviewing = false; // reviewing judged terms
const view = { started: false };

const answers = new Answers(secret, (state) => {
  if (state.refused) return over("This round is closed", state.refused);
  const bar = byId("saving");
  bar.className = `saving small ${state}`;
  say(bar, { saved: "✓ All answers saved", saving: "Saving…", away: "The server cannot be reached: not saved yet, retrying. Keep this page open." }[state]);
});

// ---- loading

async function load() {
  let given;
  try {
    given = await get(url`/api/annotate/${secret}`);
  } catch (error) {
    if (error.status === 404 || error.status === 422) return over("This link does not work", "It may be incomplete, or the round may be over. Ask the person who sent it to you for a new one.");
    const ready = error.status !== 409;
    over(ready ? "One moment, please" : "The terms are being prepared", ready ? `${error.message} This page retries automatically.` : "This page continues automatically as soon as they are ready.");
    setTimeout(load, AGAIN);
    return;
  }
  take(given);
  answers.send();
  if (view.started || judged(items)) start();
  else welcome(given);
}

function take({ name, title, items: list }) {
  const unsaved = answers.unsaved;
  items = list.map((each) => (unsaved.has(each.item) ? { ...each, belongs: unsaved.get(each.item) } : each));
  categories = [...new Set(items.map((each) => each.category))].map((category) => ({ name: category, items: items.filter((each) => each.category === category) }));
  document.title = title;
  say(byId("title"), title);
  say(byId("name"), name);
}

const judged = (list) => list.filter((each) => each.belongs !== null).length;
const nextOpen = (from) => {
  const after = items.findIndex((each, at) => at >= from && each.belongs === null);
  return after >= 0 ? after : items.findIndex((each) => each.belongs === null);
};

// ---- display

function over(title, text) {
  byId("bar").hidden = true;
  view.started = false;
  fill(byId("main"), h("section", { class: "card start" }, h("h1", {}, title), h("p", {}, text)));
}

function welcome({ name, title, definition }) {
  byId("bar").hidden = true;
  const button = h("button", { type: "button", class: "primary big", on: { click: start } }, "Start");
  fill(byId("main"), h("section", { class: "card start" },
    h("h1", { dir: "auto" }, title),
    h("p", {}, "Hello ", h("b", { dir: "auto" }, name), ". You will see ", counted(items.length, "term"), ", one at a time, in ", counted(categories.length, "category", "categories"), "."),
    h("p", {}, "For each one, say whether it belongs to its category. ", h("b", {}, definition), " Work alone, and trust your first impression; you can change any answer."),
    h("p", { class: "soft" }, "Each answer is saved immediately. You can stop at any time and come back with the same link, on any device."),
    button));
  button.focus();
}

function start() {
  if (view.started) return;
  view.started = true;
  byId("bar").hidden = false;
  here = Math.max(0, nextOpen(0));
  view.term = h("p", { class: "term", dir: "auto", id: "term" });
  view.category = h("h2", { class: "category", dir: "auto", id: "category" });
  view.place = h("p", { class: "soft small" });
  view.example = h("blockquote", { class: "example soft", dir: "auto" });
  view.yes = answerButton(true, "check", "Belongs", "1");
  view.no = answerButton(false, "cross", "Does not belong", "0");
  view.undo = h("button", { type: "button", on: { click: undo } }, icon("undo"), "Undo");
  view.clear = h("button", { type: "button", on: { click: () => judge(null) } }, "Clear answer");
  view.before = h("button", { type: "button", "aria-label": "Previous term", on: { click: () => move(-1) } }, icon("back"), "Previous");
  view.after = h("button", { type: "button", "aria-label": "Next term", on: { click: () => move(1) } }, "Next");
  view.done = h("div", { role: "status" });
  view.list = h("ol", { class: "terms" });
  view.categories = h("ul", { class: "categories" });
  fill(byId("main"), h("div", { class: "work" },
    h("div", {},
      h("section", { class: "card question", "aria-labelledby": "category term" }, view.place, view.category, view.term, view.example,
        h("div", { class: "answers", role: "group", "aria-label": "Does it belong?" }, view.yes, view.no)),
      h("div", { class: "below" }, view.before, view.after, view.undo, view.clear),
      view.done,
      h("p", { class: "keys soft small", "aria-label": "Keys" }, key("1", "J"), "belongs", key("0", "N"), "does not", key("←", "→"), "term", key("U"), "undo", key("Delete"), "clear")),
    h("aside", {}, h("section", { class: "card" }, h("h3", {}, "Categories"), view.categories), h("section", { class: "card" }, h("h3", {}, "Terms of this category"), view.list))));
  draw();
  view.yes.focus({ preventScroll: true });
}

const key = (...names) => h("span", { class: "key" }, names.map((name) => h("kbd", {}, name)));

function answerButton(value, sign, word, shortcut) {
  return h("button", { type: "button", class: value ? "yes" : "no", "aria-keyshortcuts": shortcut, on: { click: () => judge(value) } }, icon(sign), word);
}

function draw() {
  const item = items[here];
  const current = categories.findIndex((each) => each.name === item.category);
  const all = judged(items) === items.length;
  say(view.place, `Category ${current + 1}/${categories.length} · term ${categories[current].items.indexOf(item) + 1}/${categories[current].items.length} · does it belong to`);
  say(view.category, item.category);
  say(view.term, item.term);
  fill(view.example, item.example.length ? marked(item.example) : "");
  view.example.hidden = !item.example.length;
  view.yes.setAttribute("aria-pressed", String(item.belongs === true));
  view.no.setAttribute("aria-pressed", String(item.belongs === false));
  view.undo.disabled = !history.length;
  view.clear.disabled = item.belongs === null;
  view.before.disabled = here === 0;
  view.after.disabled = here === items.length - 1;
  byId("progress").setAttribute("aria-valuemax", String(items.length));
  byId("progress").setAttribute("aria-valuenow", String(judged(items)));
  byId("progress").firstChild.style.setProperty("width", `${(100 * judged(items)) / items.length}%`);
  say(byId("count"), `${judged(items)} of ${items.length}`);
  fill(view.done, all ? note("All terms are judged. Thank you! You can close this page, or review and change your answers.", "good") : null);
  fill(view.categories, categories.map((each, at) => h("li", {}, categoryButton(each, at === current))));
  fill(view.list, categories[current].items.map((each) => h("li", {}, termButton(each))));
}

function categoryButton({ name, items: own }, current) {
  const count = judged(own);
  const full = count === own.length;
  return h("button", { type: "button", "aria-current": current ? "true" : undefined, on: { click: () => choose(own.find((each) => each.belongs === null) ?? own[0]) } },
    h("span", { class: "text", dir: "auto" }, name), h("span", { class: "soft small number" }, full ? `✓ ${count}` : `${count}/${own.length}`));
}

function termButton(each) {
  const answer = each.belongs === null ? "not judged" : each.belongs ? "belongs" : "does not belong";
  const sign = each.belongs === null ? h("span", { class: "icon" }) : icon(each.belongs ? "check" : "cross");
  return h("button", { type: "button", class: each.belongs === null ? "" : each.belongs ? "is-yes" : "is-no", "aria-label": `${each.term}: ${answer}`, "aria-current": each === items[here] ? "true" : undefined, on: { click: () => choose(each) } },
    sign, h("span", { class: "text", dir: "auto" }, each.term));
}

const speak = (text) => say(byId("spoken"), text);

// ---- user actions

function set(at, belongs) {
  items[at].belongs = belongs;
  answers.give(items[at].item, belongs);
}

function judge(belongs) {
  const item = items[here];
  if (item.belongs === belongs && belongs === null) return;
  const before = categories.find((each) => each.name === item.category);
  reviewing = reviewing || judged(items) === items.length;
  history.push([here, item.belongs]);
  set(here, belongs);
  const next = belongs === null ? here : reviewing ? Math.min(here + 1, items.length - 1) : nextOpen(here + 1);
  if (next >= 0) here = next;
  const word = belongs === null ? "cleared" : belongs ? "belongs" : "does not belong";
  const left = judged(items) === items.length ? "All terms are judged." : items[here].category === before.name ? "" : `Next category: ${items[here].category}.`;
  speak(`${item.term}: ${word}. ${left} ${items[here] === item ? "" : items[here].term}`);
  draw();
}

function undo() {
  const last = history.pop();
  if (!last) return;
  here = last[0];
  set(here, last[1]);
  speak(`Undone: ${items[here].term}`);
  draw();
}

function goTo(place) {
  here = Math.min(items.length - 1, Math.max(0, place));
  speak(`${items[here].category}: ${items[here].term}`);
  draw();
}

/** Choose from the lists; they are redrawn, so the focus moves to the question. */
function choose(item) {
  goTo(items.indexOf(item));
  view.yes.focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}

const move = (by) => goTo(here + by);

function pressed(event) {
  if (!view.started || event.altKey || event.metaKey || event.repeat) return;
  if (event.ctrlKey) {
    if (event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    return undo();
  }
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const run = { ArrowLeft: () => move(-1), ArrowUp: () => move(-1), ArrowRight: () => move(1), ArrowDown: () => move(1), u: undo, Backspace: undo, Delete: () => judge(null) }[name] ?? (name in KEYS ? () => judge(KEYS[name]) : null);
  if (!run) return;
  event.preventDefault();
  run();
}

/** The annotator may have continued in another tab or on another device. */
async function refresh() {
  if (document.hidden || !view.started) return;
  try {
    const place = items[here].item;
    take(await get(url`/api/annotate/${secret}`));
    here = Math.max(0, items.findIndex((each) => each.item === place));
    draw();
  } catch (error) {
    if (error.status === 404) over("This link no longer works", error.message);
  }
}

document.addEventListener("keydown", pressed);
document.addEventListener("visibilitychange", refresh);
window.addEventListener("beforeunload", (event) => answers.unsaved.size && event.preventDefault());
load();
