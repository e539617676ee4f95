// The bench: categories on one side, their topics on the other, and a reading panel for one topic.

import { categoryList } from "./categories.js";
import { topicCards } from "./cards.js";
import { h, iconButton, say } from "./dom.js";
import { showKeys } from "./keys.js";
import { readingPanel } from "./reading.js";
import { settingsButton } from "./settings.js";
import { uncoveredPanel } from "./uncovered.js";

export function show(root, context, rest) {
  const { open, announce } = context;
  const base = `#/project/${encodeURIComponent(open.id)}/topics`;
  const address = (...parts) => [base, ...parts.map(encodeURIComponent)].join("/");
  const goTo = Object.assign((...parts) => (location.hash = address(...parts)), { address });
  const list = categoryList(context);
  const cards = topicCards(context, goTo);
  const panel = readingPanel(context, goTo);
  const uncovered = uncoveredPanel(context);
  const status = h("p", { class: "result soft", "aria-live": "polite" });
  const head = h(
    "div",
    { class: "bench-head" },
    h("h2", {}, "Topics"),
    status,
    h("span", { class: "actions" }, settingsButton(open), iconButton("keys", "Keyboard shortcuts", showKeys)),
  );
  root.classList.add("bench");
  root.append(
    list.element,
    h("section", { class: "topics", "aria-label": "Topics" }, head, cards.element, uncovered.element),
    panel.element,
  );

  const draw = () => {
    list.draw();
    cards.draw();
    panel.refresh();
    uncovered.load();
    say(status, sentence(open));
    root.classList.toggle("waiting", open.saving);
  };
  const heard = {
    project: () => {
      list.draw();
      cards.draw();
    },
    saving: () => root.classList.toggle("waiting", open.saving),
    topics: draw,
    refused: (event) => list.refused(event.detail),
  };
  for (const [name, run] of Object.entries(heard)) open.addEventListener(name, run);
  const onKey = (event) => {
    if (event.key !== "?" || event.target.matches?.("input, textarea, select")) return;
    event.preventDefault();
    showKeys();
  };
  document.addEventListener("keydown", onKey);
  draw();
  const route = (parts) => {
    panel.show(parts);
    root.classList.toggle("reading-open", Boolean(parts[0]));
    if (parts[0]) cards.bring(parts[0]);
  };
  route(rest);
  return {
    route,
    stop() {
      for (const [name, run] of Object.entries(heard)) open.removeEventListener(name, run);
      document.removeEventListener("keydown", onKey);
      panel.stop();
      uncovered.stop();
      list.stop();
      announce("");
    },
  };
}

/** The effect of the last edit, in one line. */
function sentence(open) {
  if (open.topics === null) return "";
  const counted = (lists) => lists.reduce((sum, list) => sum + list.length, 0);
  const changes = Object.values(open.changes);
  const took = open.seconds === null ? "" : ` in ${open.seconds.toFixed(2)} s`;
  const topics = `${open.topics.length} ${open.topics.length === 1 ? "topic" : "topics"}${took}`;
  if (!changes.length) return topics;
  const came = counted(changes.map((each) => each.came));
  const went = counted(changes.map((each) => each.went));
  return `${topics}: ${came} ${came === 1 ? "term" : "terms"} added, ${went} removed, in ${changes.length} ${changes.length === 1 ? "topic" : "topics"}`;
}
