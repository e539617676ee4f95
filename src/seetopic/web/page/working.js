// Progress of a job; if it failed, why, and a button to retry.

import { fill, h, note, progress, say } from "./dom.js";
import { lasting } from "./telling.js";

/** An element with `update({state, problem, job})`; `again()` retries. */
export function working(label, again) {
  const bar = progress(0, label);
  const told = h("p", { class: "soft small number", role: "status" });
  const problem = h("div");
  const button = h("button", { type: "button", on: { click: again } }, "Try again");
  const element = h("div", { class: "working" }, bar, told, problem, h("p", { class: "actions" }, button));
  let shown = null;
  element.update = ({ state, problem: sentence, job }) => {
    element.hidden = state === "ready";
    bar.hidden = state !== "running";
    button.hidden = state !== "failed";
    button.parentElement.hidden = state !== "failed";
    const share = Math.max(job?.share ?? 0, 0.03);
    bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    bar.firstChild.style.setProperty("width", `${(100 * share).toFixed(1)}%`);
    say(told, state === "running" ? sentenceOf(job) : "");
    told.hidden = state !== "running";
    if (shown !== sentence) fill(problem, sentence ? note(sentence, "bad") : null);
    shown = sentence;
  };
  return element;
}

function sentenceOf(job) {
  if (!job || job.stage === "waiting") return "Waiting in the queue; you can leave this page, and it will continue.";
  const at = job.stages.findIndex((stage) => stage.state === "running");
  const steps = at < 0 ? "" : ` (${at + 1} of ${job.stages.length})`;
  return `${job.stage}${steps} · ${lasting(job.seconds)} so far · you can leave this page, and it will continue.`;
}
