// Annotation: creates rounds, invites people by link, and shows their answers as they arrive.

import { del, get, post, url } from "./api.js";
import { confirmed, copyButton, field, saveButton } from "./asking.js";
import { results } from "./agreement.js";
import { empty, fill, h, keyed, note, say, skeleton } from "./dom.js";
import { sideChecks, sideGroups } from "./sides.js";
import { ago, counted, moment } from "./telling.js";
import { working } from "./working.js";

const POLL = 3000; // milliseconds
const ALONE = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);

export function show(root, { open, workbench, announce, me }) {
  const gone = new AbortController();
  const list = h("div", { class: "rounds" });
  const state = h("div", {}, skeleton(4));
  const hint = h("p", { class: "soft small", hidden: true }, "Links work on this computer only. To let others use theirs, start the workbench with ", h("code", { class: "whole" }, "--host"), " and the address of this computer.");
  const form = newRound({ open, workbench, announce, signal: gone.signal, made: () => { form.open = false; load(); } });
  root.append(h("div", { class: "page" },
    h("h1", {}, "Annotate"),
    h("p", { class: "soft" }, "Invite people by a link to say which terms belong to their category; they do not see how the terms were found. You see the share of terms that belong, how far people agree, and which terms they dispute."),
    form, state, hint, list));
  let timer = 0;

  async function load() {
    clearTimeout(timer);
    if (!document.hidden) {
      try {
        draw(await get(`${open.path}/rounds`, { signal: gone.signal }));
      } catch (error) {
        if (error.name === "AbortError") return;
        fill(state, note(`${error.message} Retrying.`, "bad"));
      }
    }
    if (!gone.signal.aborted) timer = setTimeout(load, POLL);
  }

  function draw(rounds) {
    fill(state, rounds.length ? null : empty("No rounds yet", "Choose whose terms to judge, then invite people. Each one gets a personal link and needs nothing else."));
    hint.hidden = !ALONE || !rounds.length;
    if (!rounds.length && !form.touched) form.open = true;
    keyed(list, rounds, (each) => each.id, () => roundCard(announce, load, gone.signal, me), (element, each) => element.update(each));
  }

  const seen = () => document.hidden || load();
  document.addEventListener("visibilitychange", seen);
  load();
  return { stop: () => { gone.abort(); clearTimeout(timer); document.removeEventListener("visibilitychange", seen); } };
}

function newRound({ open, workbench, announce, signal, made }) {
  const title = h("input", { value: "Which terms belong?", maxLength: 120, required: true });
  const top = h("input", { type: "number", min: 1, max: 200, value: "10", required: true, inputMode: "numeric" });
  const place = h("div", {}, skeleton(5));
  const problem = h("div");
  const button = h("button", { class: "primary", disabled: true }, "Create round");
  const form = h("form", {},
    h("div", { class: "fields" },
      field("Title", title, "Annotators see it, so it should not reveal what you hope for."),
      field("Terms per topic", top, "The best terms of each source; terms found by several are judged once.")),
    h("fieldset", { class: "whose" }, h("legend", {}, "Whose terms?"), place),
    problem, h("p", { class: "actions" }, button));
  const element = h("details", { class: "card new-round" }, h("summary", {}, "New round"), form);
  let checks = null;
  element.addEventListener("toggle", async () => {
    element.touched = true;
    if (checks || !element.open) return;
    try {
      checks = sideChecks(await sideGroups(open, workbench, signal));
      fill(place, checks.element);
      button.disabled = false;
    } catch (error) {
      if (error.name !== "AbortError") fill(place, note(error.message, "bad"));
    }
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const sources = checks.sides();
    if (!sources.length) return fill(problem, note("Choose at least one source of terms to judge.", "bad"));
    button.disabled = true;
    fill(problem);
    try {
      await post(`${open.path}/rounds`, { title: title.value.trim(), sources, top: Number(top.value), random_state: 0 });
      announce("Round created");
      made();
    } catch (error) {
      fill(problem, note(error.message, "bad"));
    }
    button.disabled = false;
  });
  return element;
}

function roundCard(announce, reload, signal, me) {
  const title = h("h2", { dir: "auto" });
  const facts = h("p", { class: "soft small" });
  const whose = h("p", { class: "tags" });
  const problem = h("div");
  const told = (sentence) => fill(problem, sentence ? note(sentence, "bad") : null);
  const going = working("Finding terms", () => act(() => post(url`/api/rounds/${round.id}/again`)));
  const remove = h("button", { type: "button", class: "plain danger" }, "Remove");
  const save = saveButton(() => url`/api/rounds/${round.id}/judgements.csv`, "Answers as CSV", told);
  const use = h("button", { type: "button", title: "The topics learn from the answers, as from your own under Teach" }, "Use as judgements");
  const people = h("ul", { class: "people" });
  const nobody = h("p", { class: "soft" }, "Nobody has been invited yet.");
  const answers = results();
  const invited = invitation((name) => act(async () => {
    const made = await post(url`/api/rounds/${round.id}/annotators`, { name });
    announce(`${made.name} has been invited; copy the link and send it`);
  }));
  const element = h("section", { class: "card round" },
    h("div", { class: "round-head" }, h("div", {}, title, facts), h("p", { class: "actions" }, use, save, remove)),
    whose, going, problem, h("h3", {}, "Annotators"), nobody, people, invited, answers);
  let round = null;

  async function act(run) {
    told(null);
    try {
      await run();
      reload();
      return true;
    } catch (error) {
      told(error.message);
      return false;
    }
  }
  use.addEventListener("click", () => act(async () => {
    use.disabled = true;
    try {
      const { project } = await post(url`/api/rounds/${round.id}/use`, { by: me() });
      announce("The topics learn from these answers");
      fill(problem, note(`The topics have learned from these answers: ${counted(project.judged.terms, "judged term")} in all. Under History you can undo it.`, "good"));
    } finally {
      use.disabled = false;
    }
  }));
  remove.addEventListener("click", async () => {
    const answered = round.annotators.reduce((sum, each) => sum + each.judged, 0);
    const what = answered ? `and ${counted(answered, "answer")} from its annotators` : "and its links";
    if (await confirmed(`Remove the round “${round.title}” ${what}? This cannot be undone.`, "Remove")) act(() => del(url`/api/rounds/${round.id}`));
  });

  async function measure() {
    const any = round.annotators.some((each) => each.judged);
    answers.hidden = !any;
    // A changed answer does not change the counts, so the figures are fetched every time.
    if (!any) return;
    try {
      const found = await get(url`/api/rounds/${round.id}/agreement`, { signal });
      const text = JSON.stringify(found);
      if (text !== answers.shown) answers.update(found);
      answers.shown = text;
    } catch (error) {
      if (error.name !== "AbortError" && error.status !== 409) told(error.message);
    }
  }

  element.update = (given) => {
    round = given;
    say(title, given.title);
    say(facts, [given.state === "ready" ? counted(given.items, "term") : null, `best ${given.top} of each source`, ago(given.created)].filter(Boolean).join(" · "));
    facts.title = moment(given.created);
    keyed(whose, given.methods, (name) => name, (name) => h("span", { class: "tag" }, name), () => {});
    going.update(given);
    save.hidden = given.state !== "ready" || !given.annotators.length;
    use.hidden = given.state !== "ready" || !given.annotators.some((each) => each.judged);
    nobody.hidden = given.annotators.length > 0;
    keyed(people, given.annotators, (each) => each.id, (each) => person(each, announce, (leaving) => dismiss(leaving)), (line, each) => line.update(each));
    measure();
  };
  async function dismiss(leaving) {
    const what = leaving.judged ? `${counted(leaving.judged, "answer")} from ${leaving.name} and the link` : `The link for ${leaving.name}`;
    if (await confirmed(`${what} will be deleted. Remove ${leaving.name}?`, "Remove")) act(() => del(url`/api/rounds/${round.id}/annotators/${leaving.id}`));
  }
  return element;
}

function invitation(invite) {
  const name = h("input", { maxLength: 120, required: true, placeholder: "Annotator's name", "aria-label": "Annotator's name", autocomplete: "off" });
  const form = h("form", { class: "invite" }, name, h("button", {}, "Invite"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (name.value.trim() && (await invite(name.value.trim()))) name.value = "";
    name.focus();
  });
  return form;
}

function person({ link, name }, announce, dismiss) {
  const address = new URL(link, location.href).href;
  const bar = h("div", { class: "progress", role: "progressbar", "aria-label": `${name}: terms judged`, "aria-valuemin": 0 }, h("span"));
  const count = h("span", { class: "soft small number" });
  const shown = h("input", { readOnly: true, value: address, "aria-label": `Link for ${name}`, on: { focus: () => shown.select() } });
  let known = null;
  const element = h("li", {},
    h("div", { class: "person" }, h("b", { dir: "auto" }, name), count, bar),
    h("div", { class: "link" }, shown, copyButton(() => address, "Copy link", announce, `Copy the link for ${name}`),
      h("button", { type: "button", class: "plain danger", "aria-label": `Remove ${name}`, on: { click: () => dismiss(known) } }, "Remove")));
  element.update = (given) => {
    known = given;
    bar.setAttribute("aria-valuemax", String(given.items || 1));
    bar.setAttribute("aria-valuenow", String(given.judged));
    bar.firstChild.style.setProperty("width", `${given.items ? (100 * given.judged) / given.items : 0}%`);
    say(count, given.items === 0 ? "waiting for terms" : given.judged === given.items ? `✓ all ${given.items}` : `${given.judged} of ${given.items}`);
  };
  return element;
}
