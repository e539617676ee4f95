// The open project: its last known state, edits being sent, and changes by others.

import { get, newer, post, url } from "./api.js";
import { difference, foreseen } from "./edits.js";

const POLL = 2000; // milliseconds
const PATIENCE = 4000; // milliseconds to wait for edits sent by an earlier view
const LATER = new Set([401, 429, 507]); // signed out, too many requests, full disk: retry, because the edit itself is valid
const leaving = new Map(); // project -> its edits that were still being sent when it was left

/** Whether any project has unsaved edits. */
export const unsaved = (open) => Boolean(open?.saving) || leaving.size > 0;

/** Events: "project" (categories, options), "topics" (a result), "saving" (its state), "other" (someone else's
 * change), "conflict", "refused" (the server rejected an edit), "reach" (the connection was lost or restored). */
export class OpenProject extends EventTarget {
  #queue = []; // edits not yet answered, oldest first
  #busy = false;
  #gaveUp = false; // the project was reopened before everything was sent
  #stuck = null; // the server's message
  #stale = false; // edits were saved without requesting their topics
  #keys = new Map(); // id of a category -> the id it had before the server knew it
  #foreign = 0; // the newest version by someone else
  #timers = new Set();
  #gone = new AbortController();

  constructor(id, name) {
    super();
    this.id = id;
    this.by = name; // a function that returns the user's name
    this.server = null; // the project's state on the server
    this.topics = null;
    this.topicsVersion = 0; // the version that the topics belong to
    this.problem = null; // why there are no topics
    this.changes = {};
    this.seconds = null;
    this.quiet = false; // a view that makes many edits asks for topics when it needs them
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

  /** Why edits cannot currently be saved; null if they can. */
  get stuck() {
    return this.#queue.length > 0 ? this.#stuck : null;
  }

  /** The project as it will be once pending edits are saved. */
  get project() {
    return this.#queue.reduce((project, { edit, ids }) => (edit ? foreseen(project, edit, ids) : project), this.server);
  }

  /** Resolves once the project is loaded; its topics follow later. */
  async open() {
    await this.#takeOver();
    this.server = await get(this.path, { signal: this.#gone.signal });
    this.#remembered();
    this.#emit("project");
    this.#timers.add(setInterval(() => this.#poll(), POLL));
    this.#loadTopics({}).then(() => this.#run());
  }

  /** Stop polling; pending edits are still sent. */
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

  /** Wait for edits that were pending when the project was left, or take them over. */
  async #takeOver() {
    const before = leaving.get(this.id);
    if (!before) return;
    await Promise.race([before.done, this.#pause(PATIENCE)]);
    before.giveUp();
  }

  /** The base version of an edit that begins now; pass it to `edit` later. */
  begin() {
    return this.version;
  }

  /** Make an edit; `quiet` if its topics are not needed yet. Returns the ids of added categories, for now. */
  edit(edit, base = null, { quiet = false } = {}) {
    const ids = edit.kind === "add" ? this.#newIds(edit.names.length) : undefined;
    this.#enqueue({ path: "edits", edit, base, ids, quiet });
    return ids;
  }

  #newIds(number) {
    const last = Math.max(0, ...this.project.categories.map((each) => Number(each.id.slice(1))));
    return Array.from({ length: number }, (_, at) => `n${last + 1 + at}`);
  }

  /** A name for a category that stays when the server gives a new one its id. */
  keyOf(id) {
    return this.#keys.get(id) ?? id;
  }

  /** The current id of a category that may have been known by another one. */
  idOf(key) {
    return [...this.#keys].find(([, known]) => known === key)?.[0] ?? key;
  }

  /** The server has given new categories their ids: later edits mean the same categories. */
  #settle({ ids = [], edit }, known, categories) {
    const fresh = categories.filter((each) => !known.has(each.id));
    const given = new Map();
    ids.forEach((id, at) => {
      const found = fresh.find((each) => each.name === edit.names[at] && !given.has(each.id));
      if (found) given.set(found.id, id);
    });
    const now = new Map([...given].map(([id, old]) => [old, id]));
    for (const [id, old] of given) this.#keys.set(id, old);
    for (const step of this.#queue)
      for (const part of ["category", "to", "parent", "before"])
        if (now.has(step.edit?.[part])) {
          step.edit[part] = now.get(step.edit[part]);
          step.base = null; // nobody else can have changed what nobody else knew
        }
  }

  /** The server refused to add categories: edits of them cannot be sent. */
  #forget({ ids = [] }) {
    const gone = (edit) => ids.some((id) => [edit?.category, edit?.to, edit?.parent, edit?.before].includes(id));
    this.#queue = this.#queue.filter((step) => !gone(step.edit));
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
    // After leaving a project, only failed edits are reported.
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
        step.sent = body.base; // when resent after a reload, it must not count as a new edit
        this.#remember();
        const result = await post(`${this.path}/${step.path}`, body);
        // This response includes someone else's change; users who began typing before it must be told.
        if (result.project.version > body.base + 1) this.#foreign = result.project.version - 1;
        const known = new Set(this.server.categories.map((each) => each.id));
        this.#queue.shift();
        if (step.ids) this.#settle(step, known, result.project.categories);
        this.#stuck = null;
        this.#reach(true);
        const later = result.topics === null && result.problem === null; // with many names, topics take long
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
          this.#forget(step);
          this.#stuck = null;
          this.#reach(true);
          await this.#answer(step, error);
        }
      }
      this.#remember();
    }
    this.#busy = false;
    if (this.#stale && !this.quiet && !this.#gone.signal.aborted) this.#loadTopics(null); // the next edit does not wait
    this.#emit("saving");
    if (this.#queue.length) this.#run();
  }

  #body(step) {
    // Users who began typing before seeing someone else's change must be told, not overwrite it.
    const begun = step.base && this.#foreign > step.base ? step.base : this.version;
    const base = step.sent ?? begun;
    return {
      base,
      by: this.by(),
      // Topics would be outdated by the next edit.
      ...(step.edit ? { edit: step.edit, topics: !step.quiet && !this.#queue[1]?.edit && !this.#gone.signal.aborted } : {}),
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
      this.#emit("project"); // the predicted state was wrong
      this.#emit("refused", { step, problem: error.message });
    }
  }

  /** Resend an edit on top of the current state. */
  insist(step) {
    this.#enqueue({ ...step, base: null, sent: undefined });
  }

  /** Take a saved edit whose topics will follow later. */
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

  /** Load the topics of edits that were made quietly. */
  async refresh() {
    if (this.#stale && !this.#busy) await this.#loadTopics(null);
  }

  /** Resolves once all edits are saved or refused. */
  async settled() {
    while (this.#queue.length && !this.#gone.signal.aborted) await this.#pause(50);
  }

  // Unsaved edits survive a reload of the page.
  get #key() {
    return `seetopic-unsaved-${this.id}`;
  }

  #remember() {
    if (this.#gaveUp) return; // another instance has taken them over
    try {
      if (this.#queue.length) sessionStorage.setItem(this.#key, JSON.stringify(this.#queue));
      else sessionStorage.removeItem(this.#key);
    } catch {
      /* without storage, pending edits are still sent */
    }
  }

  #remembered() {
    try {
      this.#queue.push(...JSON.parse(sessionStorage.getItem(this.#key) ?? "[]"));
    } catch {
      /* nothing was stored */
    }
    if (this.#queue.length) this.#emit("saving");
  }
}
