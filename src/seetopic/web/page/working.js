// How far a slow piece of work is; where it failed, why, and a way to try again.

import { fill, h, note, progress, say } from "./dom.js";
import { lasting } from "./telling.js";

/** An element that `update({state, problem, job})` brings up to date; `again()` tries once more. */
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
  if (!job || job.stage === "waiting") return "Waiting for its turn; you can leave this page, it goes on.";
  const at = job.stages.findIndex((stage) => stage.state === "running");
  const steps = at < 0 ? "" : ` (${at + 1} of ${job.stages.length})`;
  return `${job.stage}${steps} · ${lasting(job.seconds)} so far · you can leave this page, it goes on.`;
}
