// Feedback on a name while it is typed: whether it occurs, its nearest terms, and clashes.

import { get, url } from "./api.js";
import { debounce, fill, h, say } from "./dom.js";

const WAIT = 150; // milliseconds after the last keystroke

/** A box of fixed size, so that nothing jumps. */
export function nameFeedback(open) {
  const told = h("p", { class: "told" });
  const near = h("p", { class: "near" });
  const clash = h("p", { class: "clash" });
  const element = h("div", { class: "feedback", role: "status", "aria-label": "About the name" }, told, near, clash);
  let asked = null;
  let field = null; // the one that is typed in

  const look = debounce(WAIT, async (name, category) => {
    asked?.abort();
    const mine = (asked = new AbortController());
    try {
      const found = await get(
        url`/api/projects/${open.id}/check?name=${name}` + (category ? url`&category=${category}` : ""),
        { signal: mine.signal },
      );
      if (asked === mine) draw(found);
    } catch (error) {
      if (error.name !== "AbortError" && asked === mine)
        draw({ name, problem: error.message, nearest: [], clashes: [] });
    }
  });

  function draw({ name, problem, in_vocabulary, occurrences, nearest, clashes }) {
    element.classList.remove("idle");
    if (problem && !nearest?.length) {
      fill(told, problem);
      near.replaceChildren();
      clash.replaceChildren();
      clash.classList.remove("warns");
      return;
    }
    const often = in_vocabulary
      ? `occurs ${occurrences.toLocaleString("en")} ${occurrences === 1 ? "time" : "times"}`
      : "does not occur; its meaning is used";
    fill(told, h("b", {}, name), " ", h("span", { class: in_vocabulary ? "yes" : "no" }, often));
    fill(near, nearest.length ? ["nearest: ", nearest.flatMap(([term], at) => [at ? ", " : "", suggestion(term)])] : "");
    fill(
      clash,
      clashes?.length
        ? [h("b", {}, "close to "), clashes.map((each) => `“${each.name}” (${each.similarity.toFixed(2)})`).join(", ")]
        : (problem ?? ""),
    );
    clash.classList.toggle("warns", Boolean(clashes?.length || problem));
  }

  /** A term that can take the place of what is typed. */
  function suggestion(term) {
    const button = h("button", { type: "button", title: `Use “${term}” as the name`, "aria-label": `Use ${term} as the name` }, term);
    button.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus, and what is typed
    button.addEventListener("click", () => {
      if (!field?.isConnected) return;
      field.value = term;
      field.focus();
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    return button;
  }

  function rest() {
    look.cancel();
    asked?.abort();
    asked = null;
    element.classList.add("idle");
    say(told, "As you type a name, this shows whether it occurs, its nearest terms, and what it clashes with.");
    near.replaceChildren();
    clash.replaceChildren();
    clash.classList.remove("warns");
  }

  rest();
  return {
    element,
    rest,
    look(name, category) {
      field = document.activeElement;
      if (name.trim()) look(name.trim(), category);
      else rest();
    },
  };
}
