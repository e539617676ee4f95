// Teach: a queue of questions about terms and documents, one key each, and what the answers change.

import { get } from "./api.js";
import { chooser } from "./choose.js";
import { fill, h, hue, marked, say, skeleton } from "./dom.js";
import { popover } from "./popover.js";
import { counted } from "./telling.js";

const ROUND = 10; // answers after which everything is learned again
const LISTED = 5; // likely categories of a document that a digit chooses

export function show(root, { open, workbench, announce, me }) {
  const gone = new AbortController();
  const card = h("section", { class: "card question", "aria-label": "Question" }, skeleton(8, "Choosing the questions that help most…"));
  const effect = h("div", { class: "effect", "aria-live": "polite" });
  const total = h("p", { class: "soft small" });
  root.append(
    h(
      "div",
      { class: "page narrow" },
      h("h1", {}, "Teach"),
      h("p", { class: "soft" }, "Answer a few questions, and the topics learn what you mean. Every ten answers show what has changed."),
      h("details", { class: "belongs" }, h("summary", {}, "What does “belongs” mean?"), h("p", {}, workbench.belongs)),
      card,
      effect,
      total,
    ),
  );
  let queue = [];
  let given = []; // answers of this round: {question, answer}, null for a skipped one
  let start = null; // the version at which the round began
  let busy = false;
  open.quiet = true;

  const name = (id) => open.project.categories.find((each) => each.id === id)?.name ?? "a removed category";
  const dot = (id) => h("span", { class: "dot", style: { "--hue": hue(id) } });

  async function begin() {
    busy = true;
    fill(card, skeleton(8, "Choosing the questions that help most…"));
    try {
      await open.settled();
      const found = await get(`${open.path}/questions?number=${ROUND}`, { signal: gone.signal });
      start = open.version;
      given = [];
      queue = found;
      busy = false;
      draw();
    } catch (error) {
      if (error.name !== "AbortError") refused(error);
    }
    tell();
  }

  function refused(error) {
    const again = h("button", { type: "button", on: { click: begin } }, "Try again");
    const sentence = error.message.charAt(0).toUpperCase() + error.message.slice(1);
    fill(card, h("h2", {}, "No questions now"), h("p", {}, `${sentence.replace(/\.$/, "")}.`), again);
  }

  function draw() {
    const question = queue[given.length];
    if (!question) return finish();
    const { category, term, document: number, parts, likely } = question;
    const keys = keysOf(question);
    const subject =
      term === null
        ? [h("p", { class: "question-about soft small" }, `Document ${number.toLocaleString("en")}`), h("blockquote", { class: "question-text" }, marked(parts))]
        : [
            h("p", { class: "question-about soft small" }, "Term"),
            h("p", { class: "question-term" }, term),
            parts.length ? h("blockquote", {}, marked(parts)) : null,
          ];
    const buttons = keys.map(({ key, label, about, run, kind = "", id }) =>
      h(
        "button",
        { type: "button", class: `answer ${kind}`, dataset: { key }, "aria-keyshortcuts": key, on: { click: run } },
        h("kbd", { "aria-hidden": "true" }, key.toUpperCase()),
        id ? dot(id) : null,
        h("span", {}, label, about ? h("span", { class: "soft small" }, ` ${about}`) : null),
      ),
    );
    const held = card.contains(document.activeElement) || document.activeElement === document.body;
    const ask = h("h2", { tabIndex: -1, class: "question-ask" }, "Does it belong to ", dot(category), " ", h("b", {}, name(category)), "?");
    fill(
      card,
      h("div", { class: "question-head" }, h("span", { class: "soft small number" }, `${given.length + 1} of ${queue.length}`), progressOf(given.length, queue.length)),
      subject,
      ask,
      h("p", { class: "soft small" }, question.reason),
      h("div", { class: "answers-row" }, buttons.filter((each) => "yn0".includes(each.dataset.key))),
      likely.length > 1 ? h("div", { class: "answers-row" }, h("span", { class: "soft small" }, "or to"), buttons.filter((each) => /[1-9m]/.test(each.dataset.key))) : null,
      h("div", { class: "answers-row quiet-row" }, buttons.filter((each) => "su".includes(each.dataset.key))),
    );
    if (held) ask.focus({ preventScroll: true });
  }

  function keysOf(question) {
    const { category, document: number } = question;
    const others = number === null ? [] : question.likely.filter((id) => id !== category).slice(0, LISTED);
    return [
      { key: "y", label: "Yes, it belongs", kind: "good", run: () => answer({ category, belongs: true }) },
      { key: "n", label: "No", kind: "bad", run: () => answer({ category, belongs: false }) },
      { key: "0", label: "None of the categories", run: () => answer({ category: null, belongs: true }) },
      ...others.map((id, at) => ({ key: String(at + 1), label: name(id), id, run: () => answer({ category: id, belongs: true }) })),
      ...(number !== null && question.likely.length > LISTED + 1 ? [{ key: "m", label: "another…", run: another }] : []),
      { key: "s", label: "Skip", run: () => next(null) },
      ...(given.length ? [{ key: "u", label: "Take back the last answer", run: back }] : []),
    ];
  }

  /** Any other category of a document. */
  function another() {
    const { category } = queue[given.length];
    const choices = open.project.categories.filter((each) => each.id !== category).map((each) => ({ label: each.name, hue: hue(each.id), id: each.id }));
    const { element } = chooser("It belongs to", choices, (to) => {
      shown.close(true);
      answer({ category: to.id, belongs: true });
    });
    const button = card.querySelector('[data-key="m"]');
    const shown = popover(button, element, button);
  }

  const about = ({ term, document: number }) => (term === null ? { document: number } : { term });
  function answer({ category, belongs }) {
    const question = queue[given.length];
    const made = { category, ...about(question), belongs, by: me(), at: new Date().toISOString() };
    open.edit({ kind: "judge", answers: [made] }, null, { quiet: true });
    announce(belongs ? `belongs to ${category ? name(category) : "none of the categories"}` : `does not belong to ${name(category)}`);
    next(made);
  }

  function next(made) {
    given.push(made);
    draw();
    tell();
  }

  function back() {
    const made = given.pop();
    if (made) open.edit({ kind: "judge", answers: [{ ...made, belongs: null }] }, null, { quiet: true });
    announce("Taken back");
    draw();
    tell();
  }

  /** Learn from the answers, and show what has changed. */
  async function finish() {
    busy = true;
    fill(card, skeleton(6, "Learning from your answers…"));
    try {
      await open.settled();
      await open.refresh();
      const found = await get(`${open.path}/effect?since=${start}`, { signal: gone.signal });
      fill(effect, effectOf(found, name, dot));
      await begin();
      card.querySelector(".question-ask")?.focus({ preventScroll: true });
    } catch (error) {
      if (error.name !== "AbortError") refused(error);
    }
  }

  function tell() {
    const { documents, terms } = open.project.judged;
    say(total, documents + terms ? `So far, this project has learned from ${counted(documents, "document")} and ${counted(terms, "term")}.` : "");
  }

  const onKey = (event) => {
    if (busy || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest?.("input, textarea, select, dialog, .popover")) return;
    const button = card.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  };
  document.addEventListener("keydown", onKey);
  open.addEventListener("project", tell);
  begin();
  return {
    stop: () => {
      gone.abort();
      open.quiet = false;
      document.removeEventListener("keydown", onKey);
      open.removeEventListener("project", tell);
    },
  };
}

function progressOf(done, all) {
  return h("span", { class: "progress", "aria-hidden": "true" }, h("span", { style: { width: `${(100 * done) / all}%` } }));
}

const percent = (share) => `${Math.round(100 * share)}%`;

/** What the answers have changed, in words. */
function effectOf(found, name, dot) {
  const change = ({ category, came, went }) =>
    h(
      "li",
      {},
      dot(category),
      h("b", {}, name(category)),
      came.length ? h("span", {}, " new: ", h("span", { class: "came-terms" }, came.join(", "))) : null,
      went.length ? h("span", { class: "soft" }, " gone: ", h("s", {}, went.join(", "))) : null,
    );
  const sure =
    found.known > 0
      ? `Of the ${counted(found.known, "document")} that you have judged, ${percent(found.right / found.known)} are now sorted as you would (between ${percent(found.low)} and ${percent(found.high)} with 95% confidence)${found.untaught === null ? "" : `; without judgements, ${percent(found.untaught)} would be`}.`
      : "Answer more questions about documents to see how well they are sorted.";
  return h(
    "section",
    { class: "card effect-card", "aria-label": "What your answers changed" },
    h("h2", {}, "What your answers changed"),
    h("p", {}, sure, found.known >= 30 ? (found.more_help ? " More answers still help." : " More answers will hardly help.") : ""),
    found.changed.length
      ? h("ul", { class: "effect-terms" }, found.changed.map(change))
      : h("p", { class: "soft" }, "No term has changed yet."),
    found.contradictions.length
      ? [h("h3", {}, "Answers that contradict each other"), h("ul", {}, found.contradictions.map((each) => h("li", {}, each)))]
      : null,
  );
}
