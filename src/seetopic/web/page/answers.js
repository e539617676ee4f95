// Pending answers: each is sent immediately, one after the other, and retried until the server has it.

import { post, url } from "./api.js";

const WAITS = [1000, 2000, 4000, 8000]; // milliseconds

/** `told(state)` is called with "saved", "saving", "away" (retrying) or {refused: message}. */
export class Answers {
  #waiting = new Map(); // item -> the newest unsaved answer
  #busy = false;
  #tries = 0;
  #wake = null;

  constructor(secret, told) {
    this.secret = secret;
    this.told = told;
    for (const [item, belongs] of this.#remembered()) this.#waiting.set(item, belongs);
    window.addEventListener("online", () => this.#wake?.());
    window.addEventListener("pagehide", () => this.#hurry());
  }

  /** Answers not saved yet, including those from before the page was closed. */
  get unsaved() {
    return new Map(this.#waiting);
  }

  give(item, belongs) {
    this.#waiting.delete(item); // the newest goes last
    this.#waiting.set(item, belongs);
    this.#remember();
    this.send();
  }

  async send() {
    if (this.#busy) return this.#wake?.();
    this.#busy = true;
    while (this.#waiting.size) {
      const [item, belongs] = this.#waiting.entries().next().value;
      this.told(this.#tries ? "away" : "saving");
      try {
        await post(url`/api/annotate/${this.secret}/answers`, { item, belongs });
        this.#tries = 0;
        if (this.#waiting.get(item) === belongs) this.#waiting.delete(item);
        this.#remember();
      } catch (error) {
        if (error.status >= 400 && error.status < 500 && error.status !== 429) {
          this.#busy = false;
          if (error.status === 404) this.#waiting.clear(); // the link is no longer valid
          this.#remember();
          return this.told({ refused: error.message });
        }
        this.told("away");
        await this.#pause(WAITS[Math.min(this.#tries++, WAITS.length - 1)]);
      }
    }
    this.#busy = false;
    this.told("saved");
  }

  /** When the page closes, send all pending answers at once; the browser finishes the requests. */
  #hurry() {
    for (const [item, belongs] of this.#waiting) {
      post(url`/api/annotate/${this.secret}/answers`, { item, belongs }, { keepalive: true }).catch(() => {});
    }
  }

  #pause(wait) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.#wake = () => { clearTimeout(timer); resolve(); };
    });
  }

  get #key() {
    return `seetopic-answers-${this.secret}`;
  }

  #remember() {
    try {
      if (this.#waiting.size) localStorage.setItem(this.#key, JSON.stringify([...this.#waiting]));
      else localStorage.removeItem(this.#key);
    } catch { /* without storage, pending answers are still sent */ }
  }

  #remembered() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      return kept.filter(([item, belongs]) => Number.isInteger(item) && [true, false, null].includes(belongs));
    } catch {
      return [];
    }
  }
}
