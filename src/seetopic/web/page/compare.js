// Compares two sides: names, language models or methods, with differences marked.

import { del, get, post, url } from "./api.js";
import { fill, h, keyed, note, say, skeleton } from "./dom.js";
import { compared } from "./difference.js";
import { sideGroups, sideSelect } from "./sides.js";
import { ago, moment } from "./telling.js";
import { working } from "./working.js";

const POLL = 1000; // milliseconds, while a comparison is running

export function show(root, { open, workbench, announce }, rest = []) {
  const gone = new AbortController();
  const place = h("div", {}, skeleton(3));
  const going = working("Comparing", () => again());
  const found = h("div", { class: "compared" });
  const problem = h("div");
  const earlier = earlierList(open, (id) => remove(id));
  root.append(h("div", { class: "page wide" }, h("h1", {}, "Compare"),
    h("p", { class: "soft" }, "What would other names, an earlier step or another method have found? Choose two, and see what differs."),
    place, problem, going, found, earlier.element));
  going.hidden = true;
  let timer = 0;
  let shown = null;

  const address = (id) => `#/project/${encodeURIComponent(open.id)}/compare/${encodeURIComponent(id)}`;
  async function begin() {
    try {
      const groups = await sideGroups(open, workbench, gone.signal);
      fill(place, chooser(groups, run));
    } catch (error) {
      if (error.name !== "AbortError") fill(place, note(error.message, "bad"));
    }
  }

  async function run(asked) {
    fill(problem);
    try {
      const made = await post(`${open.path}/comparisons`, asked);
      earlier.load();
      if (location.hash === address(made.id)) draw(made);
      else location.hash = address(made.id);
    } catch (error) {
      fill(problem, note(error.message, "bad"));
    }
  }

  async function again() {
    try {
      draw(await post(url`/api/comparisons/${shown}/again`));
    } catch (error) {
      fill(problem, note(error.message, "bad"));
    }
  }

  async function measure(id) {
    try {
      draw(await post(url`/api/comparisons/${id}/measure`));
    } catch (error) {
      fill(problem, note(error.message, "bad"));
    }
  }

  async function remove(id) {
    try {
      await del(url`/api/comparisons/${id}`);
      if (id === shown) location.hash = `#/project/${encodeURIComponent(open.id)}/compare`;
      earlier.load();
    } catch (error) {
      fill(problem, note(error.message, "bad"));
    }
  }

  async function look(id) {
    clearTimeout(timer);
    shown = id ?? null;
    earlier.mark(shown);
    if (!shown) {
      going.hidden = true;
      return fill(found);
    }
    try {
      const comparison = await get(url`/api/comparisons/${shown}`, { signal: gone.signal });
      if (shown === id) draw(comparison);
    } catch (error) {
      if (error.name === "AbortError") return;
      going.hidden = true;
      fill(problem, note(error.message, "bad"));
      if (error.unreachable) timer = setTimeout(() => look(id), 3 * POLL);
    }
  }

  function draw(comparison) {
    fill(problem);
    going.update(comparison);
    fill(found, comparison.state === "ready" ? compared(comparison, () => measure(comparison.id)) : h("p", { class: "soft" }, `${comparison.titles[0]} and ${comparison.titles[1]}`));
    if (comparison.state === "running") timer = setTimeout(() => look(comparison.id), POLL);
    else {
      earlier.load();
      announce(comparison.state === "ready" ? "The comparison is ready" : "The comparison failed");
    }
  }

  begin();
  earlier.load();
  look(rest[0]);
  return { route: ([id]) => look(id), stop: () => { gone.abort(); clearTimeout(timer); } };
}

function chooser(groups, run) {
  const first = groups[0].choices[0].side;
  const others = groups.flatMap((group) => group.choices).filter((choice) => !choice.disabled && choice.side !== first);
  const second = (others.find((choice) => choice.side.kind === "version") ?? others.find((choice) => choice.side.kind === "project") ?? others[0])?.side ?? first;
  const left = sideSelect("Left", groups, first);
  const right = sideSelect("Right", groups, second);
  const exchange = () => ([left.select.value, right.select.value] = [right.select.value, left.select.value]);
  const swap = h("button", { type: "button", class: "swap", title: "Swap left and right", "aria-label": "Swap left and right", on: { click: exchange } }, "⇄");
  const button = h("button", { class: "primary" }, "Compare");
  const form = h("form", { class: "card compare-form" },
    h("div", { class: "versus" }, left.element, swap, right.element),
    h("div", { class: "actions" }, button));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    await run({ left: left.side(), right: right.side(), evaluate: false });
    button.disabled = false;
  });
  return form;
}

function earlierList(open, remove) {
  const list = h("ul", { class: "earlier" });
  const element = h("section", { class: "gap", hidden: true }, h("h2", {}, "Earlier comparisons"), list);
  let shown = null;
  const line = ({ id, left, right }) => {
    const link = h("a", { href: `#/project/${encodeURIComponent(open.id)}/compare/${encodeURIComponent(id)}` }, `${left} and ${right}`);
    const facts = h("span", { class: "soft small" });
    const made = h("li", {}, link, facts, h("button", { type: "button", class: "plain danger", "aria-label": `Remove ${left} and ${right}`, on: { click: () => remove(id) } }, "Remove"));
    made.update = (each) => {
      say(facts, [{ running: "running", failed: "failed", ready: "" }[each.state], ago(each.created)].filter(Boolean).join(" · "));
      facts.title = moment(each.created);
      link.classList.toggle("now", id === shown);
      link.setAttribute("aria-current", String(id === shown));
    };
    return made;
  };
  let known = [];
  const draw = () => {
    element.hidden = !known.length;
    keyed(list, known, (each) => each.id, line, (made, each) => made.update(each));
  };
  return {
    element,
    mark: (id) => { shown = id; draw(); },
    load: async () => {
      try {
        known = await get(`${open.path}/comparisons`);
      } catch { return; } // the list is reloaded with the next comparison
      draw();
    },
  };
}
