// Predicts the effect of an edit until the server has responded; the server's response always takes precedence.

const plain = (text) => text.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
const without = (list, term) => list.filter((each) => plain(each) !== plain(term));
const withTerm = (list, term) => [...without(list, term), term];

/** Whether a term is in a list, ignoring case and spacing. */
export const holds = (list, term) => list.some((each) => plain(each) === plain(term));

/** The project as it will be after an edit. */
export function foreseen(project, edit) {
  const change = (id, change_) => ({
    ...project,
    categories: project.categories.map((each) => (each.id === id ? { ...each, ...change_(each) } : each)),
  });
  switch (edit.kind) {
    case "rename":
      return change(edit.category, (each) => ({
        name: edit.name,
        names: each.names.map((name) => (name === each.name ? edit.name : name)),
      }));
    case "names":
      return change(edit.category, () => ({ names: edit.names }));
    case "pin":
      return change(edit.category, (each) => ({
        pinned: withTerm(each.pinned, edit.term),
        negative: without(each.negative, edit.term),
      }));
    case "bar":
      return change(edit.category, (each) => ({
        pinned: without(each.pinned, edit.term),
        negative: withTerm(each.negative, edit.term),
      }));
    case "free":
      return change(edit.category, (each) => ({
        pinned: without(each.pinned, edit.term),
        negative: without(each.negative, edit.term),
      }));
    case "shift": {
      const left = foreseen(project, { kind: "bar", category: edit.category, term: edit.term });
      return foreseen(left, { kind: "pin", category: edit.to, term: edit.term });
    }
    case "remove":
      return { ...project, categories: project.categories.filter((each) => each.id !== edit.category) };
    case "place":
      return { ...project, categories: placed(project.categories, edit.category, edit.at) };
    case "options":
      return {
        ...project,
        options: {
          ...project.options,
          ...(edit.top === undefined ? {} : { top: edit.top }),
          ...(edit.keep_variants === undefined ? {} : { keep_variants: edit.keep_variants }),
        },
      };
    case "title":
      return { ...project, title: edit.title };
    default: // new categories have no id until the server assigns one
      return project;
  }
}

function placed(categories, id, at) {
  const moved = categories.find((each) => each.id === id);
  if (!moved) return categories;
  const others = categories.filter((each) => each.id !== id);
  return [...others.slice(0, at), moved, ...others.slice(at)];
}

/** Changes between two lists of topics, as the server reports them for an edit. */
export function difference(before, after) {
  const changes = {};
  const old = new Map(before.map((topic) => [topic.category, topic.terms.map((each) => each.term)]));
  for (const topic of after) {
    const now = topic.terms.map((each) => each.term);
    const then = old.get(topic.category);
    if (!then) {
      changes[topic.category] = { new: true, came: [], went: [], moved: {} };
      continue;
    }
    const came = now.filter((term) => !then.includes(term));
    const went = then.filter((term) => !now.includes(term));
    const from = now.map((term) => [term, then.indexOf(term) + 1]);
    const moved = Object.fromEntries(from.filter(([, place], at) => place && place !== at + 1));
    Object.setPrototypeOf(moved, null); // "constructor" is a term like any other
    if (came.length || went.length || Object.keys(moved).length)
      changes[topic.category] = { new: false, came, went, moved };
  }
  return changes;
}

/** Description of an edit, for notices. */
export function inWords(edit, project) {
  const name = (id) => project.categories.find((each) => each.id === id)?.name ?? "a removed category";
  switch (edit?.kind) {
    case "add":
      return `add ${edit.names.map((each) => `“${each}”`).join(", ")}`;
    case "rename":
      return edit.name;
    case "names":
      return `other names of “${name(edit.category)}”: ${edit.names.join(", ") || "none"}`;
    case "remove":
      return `remove “${name(edit.category)}”`;
    case "place":
      return `move “${name(edit.category)}” to position ${edit.at + 1}`;
    case "pin":
      return `accept “${edit.term}” in “${name(edit.category)}”`;
    case "bar":
      return `reject “${edit.term}” in “${name(edit.category)}”`;
    case "free":
      return `clear the judgement of “${edit.term}” in “${name(edit.category)}”`;
    case "shift":
      return `move “${edit.term}” from “${name(edit.category)}” to “${name(edit.to)}”`;
    case "options":
      return "change the settings";
    case "title":
      return `rename the project to “${edit.title}”`;
    default:
      return "your change";
  }
}
