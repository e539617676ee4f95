// Progress of indexing a corpus: stages, a bar, the remaining time, and Stop and Resume.

import { post, url } from "./api.js";
import { h, note, progress, say } from "./dom.js";
import { lasting } from "./telling.js";

/** An element with `update(corpus)`; `changed(corpus)` is called after Stop and Resume. */
export function indexing(changed) {
  const stages = h("ol", { class: "stages" });
  const bar = progress(0, "Indexing");
  const told = h("p", { class: "soft small number", role: "status" });
  const problem = h("div");
  const button = h("button", { type: "button" });
  const change = h("a", { class: "button" }, "Change options");
  const element = h("div", { class: "indexing" }, stages, bar, told, problem, h("p", { class: "actions" }, change, button));
  let corpus = null;
  button.addEventListener("click", async () => {
    const verb = button.dataset.verb;
    button.disabled = true;
    try {
      changed(await post(url`/api/corpora/${corpus.id}/` + verb));
    } catch (error) {
      problem.replaceChildren(note(error.message, "bad"));
    }
    button.disabled = false;
  });
  element.update = (given) => {
    corpus = given;
    const job = corpus.job;
    const running = corpus.state === "waiting" || corpus.state === "indexing";
    stages.replaceChildren(
      ...(job?.stages ?? []).map((stage) =>
        h("li", { class: stage.state, "aria-current": stage.state === "running" ? "step" : undefined }, stage.name),
      ),
    );
    stages.hidden = bar.hidden = !job && !running;
    const share = job?.share ?? 0;
    bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    bar.firstChild.style.setProperty("width", `${(100 * share).toFixed(1)}%`);
    say(told, sentence(corpus));
    problem.replaceChildren(...(corpus.problem ? [note(corpus.problem, "bad")] : []));
    button.dataset.verb = running ? "stop" : "resume";
    say(button, running ? "Stop" : corpus.state === "failed" ? "Try again" : "Resume");
    button.hidden = corpus.state === "ready";
    change.href = `#/corpus/${encodeURIComponent(corpus.id)}/options`;
    change.hidden = running || !corpus.can_change;
    change.classList.toggle("primary", corpus.state === "failed");
  };
  return element;
}

function sentence({ state, job }) {
  if (state === "waiting") return "Waiting in the queue.";
  if (state === "stopped") return "Stopped. Progress is kept, and indexing resumes from there.";
  if (state === "failed") return "Indexing failed.";
  if (!job) return "Starting…";
  const done = job.total
    ? `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`
    : job.done
      ? job.done.toLocaleString("en")
      : "";
  const left = job.remaining === null ? "" : `about ${lasting(job.remaining)} left`;
  return [`${Math.round(100 * job.share)}%`, job.stage, done, left].filter(Boolean).join(" · ");
}

export const unfinished = (corpus) => corpus.state === "waiting" || corpus.state === "indexing";
