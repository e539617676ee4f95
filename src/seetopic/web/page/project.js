// The open project: what the server said of it last, the edits on their way to it, and what others change meanwhile.

import { get, newer, post, url } from "./api.js";
import { difference, foreseen } from "./edits.js";

const POLL = 2000; // milliseconds
const PATIENCE = 4000; // with a server that does not answer
const LATER = new Set([401, 429, 507]); // signed out, too many requests, a full disk: nothing is wrong with the edit
const leaving = new Map(); // project -> edits of it that were still on their way when it was left

/** Whether anything of any project is not saved yet. */
export const unsaved = (open) => Boolean(open?.saving) || leaving.size > 0;

/** Events: "project" (categories, options), "topics" (a result), "saving" (its state), "other" (someone else's
 * change), "conflict", "refused" (an edit that the server does not take), "reach" (the server went or came back). */
export class OpenProject extends EventTarget {
  #queue = []; // edits not yet answered, oldest first
  #busy = false;
  #gaveUp = false; // the project was opened again before all was sent
  #stuck = null; // the server's sentence
  #stale = false; // edits are kept whose topics were not asked for
  #foreign = 0; // the newest version that someone else made
  #timers = new Set();
  #gone = new AbortController();

  constructor(id, name) {
    super();
    this.id = id;
    this.by = name; // a function: who edits
    this.server = null; // the project as the server has it
    this.topics = null;
    this.topicsVersion = 0; // of the names that these topics are of
    this.problem = null; // why there are no topics
    this.changes = {};
    this.seconds = null;
    this.reached = true;
  }

  get path() {
    return url`/api/projects/${this.id}`;
  }

  get version() {
    return this.server?.version ?? 0;
  }

  get saving() {
    return this.#queue.length > 0;
  }

  /** Why edits cannot be saved at the moment; null if they can. */
  get stuck() {
    return this.#queue.length > 0 ? this.#stuck : null;
  }

  /** The project as it will be once the edits on their way are answered. */
  get project() {
    return this.#queue.reduce((project, { edit }) => (edit ? foreseen(project, edit) : project), this.server);
  }

  /** Resolves once the project is known; its topics come later. */
  async open() {
    await this.#takeOver();
    this.server = await get(this.path, { signal: this.#gone.signal });
    this.#remembered();
    this.#emit("project");
    this.#timers.add(setInterval(() => this.#poll(), POLL));
    this.#loadTopics({}).then(() => this.#run());
  }

  /** Nothing is asked for any more; edits on their way are still sent, whatever is shown instead. */
  close() {
    this.#gone.abort();
    for (const timer of this.#timers) clearInterval(timer);
    if (!this.#queue.length || !this.server) return;
    const giveUp = () => {
      this.#gaveUp = true;
      this.#queue = [];
    };
    leaving.set(this.id, { done: this.#sent().then(() => leaving.delete(this.id)), giveUp });
  }

  async #sent() {
    while (this.#queue.length) {
      await this.#run();
      await this.#pause(100); // another call may be sending them
    }
  }

  /** What was on its way when the project was left is answered first, or is sent from here. */
  async #takeOver() {
    const before = leaving.get(this.id);
    if (!before) return;
    await Promise.race([before.done, this.#pause(PATIENCE)]);
    before.giveUp();
  }

  /** The base an edit that begins now must be sent with: pass it to `edit` when it is made. */
  begin() {
    return this.version;
  }

  edit(edit, base = null) {
    this.#enqueue({ path: "edits", edit, base });
  }

  undo() {
    if (this.project.undo) this.#enqueue({ path: "undo" });
  }

  redo() {
    if (this.project.redo) this.#enqueue({ path: "redo" });
  }

  restore(number) {
    this.#enqueue({ path: "restore", number });
  }

  #emit(name, detail = null) {
    // Of a project that was left only what did not become of an edit is told.
    if (this.#gone.signal.aborted && name !== "conflict" && name !== "refused") return;
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #enqueue(step) {
    this.#queue.push(step);
    this.#remember();
    this.#emit("project");
    this.#emit("saving");
    this.#run();
  }

  async #run() {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#queue.length) {
      const step = this.#queue[0];
      try {
        const body = this.#body(step);
        step.sent = body.base; // sent again after a reload, it must not be taken for a new one
        this.#remember();
        const result = await post(`${this.path}/${step.path}`, body);
        // Somebody else's change came in with this answer: who began to type before it must hear of it.
        if (result.project.version > body.base + 1) this.#foreign = result.project.version - 1;
        this.#queue.shift();
        this.#stuck = null;
        this.#reach(true);
        const later = result.topics === null && result.problem === null; // of many names: they take long
        if (body.topics === false || later) this.#keep(result);
        else this.#take(this.#stale || !Object.keys(result.changes ?? {}).length ? this.#compared(result) : result);
      } catch (error) {
        if (error.unreachable || error.status === 503 || error.status === 502) {
          this.#reach(false);
          await this.#pause(POLL);
        } else if (LATER.has(error.status)) {
          this.#stuck = error.message;
          this.#reach(true);
          this.#emit("saving");
          await this.#pause(POLL);
        } else {
          this.#queue.shift();
          this.#stuck = null;
          this.#reach(true);
          await this.#answer(step, error);
        }
      }
      this.#remember();
    }
    this.#busy = false;
    if (this.#stale && !this.#gone.signal.aborted) this.#loadTopics(null); // the next edit does not wait for them
    this.#emit("saving");
    if (this.#queue.length) this.#run();
  }

  #body(step) {
    // Whoever began to type before someone else's change was seen must hear of it, not overwrite it.
    const begun = step.base && this.#foreign > step.base ? step.base : this.version;
    const base = step.sent ?? begun;
    return {
      base,
      by: this.by(),
      // Topics that a further edit overtakes would be found for nobody.
      ...(step.edit ? { edit: step.edit, topics: !this.#queue[1]?.edit && !this.#gone.signal.aborted } : {}),
      ...(step.number ? { number: step.number } : {}),
    };
  }

  async #answer(step, error) {
    const newest = error.status === 409 ? error.body?.project : null;
    if (newest) {
      const mineStands =
        step.edit && JSON.stringify(foreseen(newest, step.edit).categories) === JSON.stringify(newest.categories);
      this.#foreign = newest.version;
      this.server = newest;
      this.#emit("project");
      if (!step.edit) this.#emit("refused", { step, problem: error.message });
      else if (!mineStands)
        this.#emit("conflict", { step, theirs: error.body.theirs, by: error.body.by, problem: error.message });
      await this.#loadTopics(this.changes);
    } else {
      this.#emit("project"); // what was foreseen does not come
      this.#emit("refused", { step, problem: error.message });
    }
  }

  /** Send an edit once more over what stands there now. */
  insist(step) {
    this.#enqueue({ ...step, base: null, sent: undefined });
  }

  /** An edit is kept, and its topics will come with the next one's. */
  #keep(result) {
    this.server = result.project;
    this.#stale = true;
    this.#emit("project");
  }

  #compared(result) {
    return { ...result, changes: this.#sinceShown(result.topics) };
  }

  #sinceShown(topics) {
    return this.topics && topics ? difference(this.topics, topics) : {};
  }

  #take(result) {
    this.#stale = false;
    this.server = result.project;
    this.problem = result.problem;
    this.changes = result.changes ?? {};
    this.seconds = result.seconds;
    this.topics = result.topics;
    this.topicsVersion = result.project.version;
    this.#emit("project");
    this.#emit("topics");
  }

  async #loadTopics(changes) {
    try {
      const result = await get(`${this.path}/topics`, { signal: this.#gone.signal });
      if (result.project.version < this.version) return;
      this.#take({ ...result, changes: changes ?? this.#sinceShown(result.topics) });
      this.#reach(true);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.unreachable) return this.#reach(false);
      this.problem = error.message;
      this.#emit("topics");
    }
  }

  async #poll() {
    if (document.hidden || this.#busy || this.polling) return;
    this.polling = true;
    try {
      const found = await newer(this.path, `"${this.version}"`, { signal: this.#gone.signal });
      this.#reach(true);
      if (found && found.version > this.version && !this.#busy) {
        this.#foreign = found.version;
        this.server = found;
        this.#emit("project");
        this.#emit("other", found.last);
        await this.#loadTopics(null);
      } else if (this.topics === null && this.problem === null) await this.#loadTopics({});
    } catch (error) {
      if (error.name !== "AbortError") {
        if (error.unreachable) this.#reach(false);
        else if (error.status === 404) this.#emit("removed", error.message);
      }
    } finally {
      this.polling = false;
    }
  }

  #reach(reached) {
    if (this.reached === reached) return;
    this.reached = reached;
    this.#emit("reach");
  }

  #pause(wait) {
    return new Promise((resolve) => setTimeout(resolve, wait));
  }

  retryNow() {
    this.#poll();
  }

  // What is not saved outlives a reload of the page.
  get #key() {
    return `seetopic-unsaved-${this.id}`;
  }

  #remember() {
    if (this.#gaveUp) return; // they are another's now
    try {
      if (this.#queue.length) sessionStorage.setItem(this.#key, JSON.stringify(this.#queue));
      else sessionStorage.removeItem(this.#key);
    } catch {
      /* a browser that keeps nothing still saves what is on its way */
    }
  }

  #remembered() {
    try {
      this.#queue.push(...JSON.parse(sessionStorage.getItem(this.#key) ?? "[]"));
    } catch {
      /* nothing was kept */
    }
    if (this.#queue.length) this.#emit("saving");
  }
}
