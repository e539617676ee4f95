// Who changed what and when; any earlier state can be restored.

import { get } from "./api.js";
import { fill, h, keyed, note, say, skeleton } from "./dom.js";
import { ago, moment } from "./telling.js";

export function show(root, { open, announce }) {
  const list = h("ol", { class: "steps" });
  const state = h("div", {}, skeleton(6));
  root.append(
    h(
      "div",
      { class: "page narrow" },
      h("h1", {}, "History"),
      h("p", { class: "soft" }, "Every change is kept. Going back is also a change and can be undone."),
      state,
      list,
    ),
  );
  let asked = null;
  async function load() {
    asked?.abort();
    asked = new AbortController();
    try {
      const steps = await get(`${open.path}/history`, { signal: asked.signal });
      fill(state);
      keyed(
        list,
        steps,
        (each) => each.number,
        (each) => step(open, each, announce),
        (element, each) => element.update(each),
      );
    } catch (error) {
      if (error.name !== "AbortError") fill(state, note(error.message, "bad"));
    }
  }
  open.addEventListener("topics", load);
  load();
  return {
    stop: () => {
      asked?.abort();
      open.removeEventListener("topics", load);
    },
  };
}

function step(open, { number, label, at }, announce) {
  const when = h("time", { class: "soft small", title: moment(at) });
  const who = h("span", { class: "soft small" });
  const restore = h(
    "button",
    {
      type: "button",
      "aria-label": `Go back to: ${label}`,
      on: {
        click: () => {
          open.restore(number);
          announce(`Going back to ${label}`);
        },
      },
    },
    "Go back to this",
  );
  const here = h("span", { class: "tag good" }, "now");
  const element = h(
    "li",
    {},
    h("div", { class: "step-text" }, h("span", {}, label), h("span", { class: "step-by" }, who, " ", when)),
    here,
    restore,
  );
  element.update = (given) => {
    say(when, ago(given.at));
    say(who, given.by);
    here.hidden = !given.current;
    restore.hidden = given.current;
    element.classList.toggle("current", given.current);
  };
  return element;
}
