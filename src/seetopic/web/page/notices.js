// Notices, screen reader announcements, conflicts between two users, and the banner.

import { h, iconButton, say } from "./dom.js";

const STAYS = 9000; // milliseconds

/** Announce to screen readers only. */
export function announce(text) {
  const live = document.getElementById("live");
  say(live, "");
  setTimeout(() => say(live, text), 30);
}

/** A notice at the edge of the page; it disappears unless it has actions. `actions`: {label: run}. */
export function notify(
  text,
  { kind = "info", actions = {}, details = null, stays = Object.keys(actions).length > 0, key = null } = {},
) {
  const place = document.getElementById("notices");
  if (key) place.querySelector(`[data-notice="${CSS.escape(key)}"]`)?.remove();
  const close = () => box.remove();
  const buttons = Object.entries(actions).map(([label, run], at) =>
    h(
      "button",
      {
        type: "button",
        class: at === 0 ? "primary" : "",
        on: {
          click: () => {
            close();
            run();
          },
        },
      },
      label,
    ),
  );
  const box = h(
    "div",
    { class: `notice ${kind}`, role: kind === "bad" || stays ? "alert" : "status", dataset: { notice: key ?? "" } },
    h(
      "div",
      { class: "notice-text" },
      h("p", {}, text),
      details,
      buttons.length ? h("div", { class: "actions" }, buttons) : null,
    ),
    buttons.length ? null : iconButton("cross", "Close this notice", close),
  );
  place.append(box);
  if (!stays) setTimeout(close, STAYS);
  return close;
}

/** Two users changed the same thing: show both values, and let the user choose. */
export function conflict({ by, theirs, mine, useMine, keepTheirs }) {
  document.querySelector('[data-notice="other"]')?.remove();
  notify(`${by || "Someone"} changed the same thing at the same time.`, {
    kind: "warn",
    key: `conflict-${mine}`,
    details: h(
      "dl",
      { class: "both" },
      h("dt", {}, by || "Theirs"),
      h("dd", {}, shown(theirs)),
      h("dt", {}, "Yours"),
      h("dd", {}, mine),
    ),
    actions: { "Keep theirs": keepTheirs, "Use mine": useMine },
  });
}

function shown(value) {
  if (value === null || value === undefined) return "no longer exists";
  if (typeof value === "string") return value === "gone" ? "removed it" : value;
  if (Array.isArray(value)) return value.map(shown).join(", ") || "nothing";
  if (typeof value === "object")
    return (
      value.name ??
      Object.entries(value)
        .map(([key, each]) => `${key.replaceAll("_", " ")}: ${shown(each)}`)
        .join(", ")
    );
  return String(value);
}

/** Show a line below the header; null hides it. */
export function banner(text, actions = {}) {
  const place = document.getElementById("banner");
  place.hidden = text === null;
  if (text === null) return place.replaceChildren();
  place.replaceChildren(
    h("span", {}, text),
    ...Object.entries(actions).map(([label, run]) => h("button", { type: "button", on: { click: run } }, label)),
  );
}
