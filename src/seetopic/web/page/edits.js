// Predicts the effect of an edit until the server has responded; the server's response always takes precedence.

const plain = (text) => text.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
const without = (list, term) => list.filter((each) => plain(each) !== plain(term));
const withTerm = (list, term) => [...without(list, term), term];

/** Whether a term is in a list, ignoring case and spacing. */
export const holds = (list, term) => list.some((each) => plain(each) === plain(term));

/** The categories below a category, with itself. */
export function below(categories, id) {
  const found = new Set([id]);
  for (const each of categories) if (found.has(each.parent)) found.add(each.id); // parents come first
  return found;
}

/** As in an outline: each category is followed by those below it. */
function inOrder(categories) {
  const children = new Map();
  for (const each of categories) children.set(each.parent, [...(children.get(each.parent) ?? []), each]);
  const from = (parent) => (children.get(parent) ?? []).flatMap((each) => [each, ...from(each.id)]);
  return from(null);
}

function nested(categories, id, parent, before) {
  const moved = categories.find((each) => each.id === id);
  if (!moved || (parent && below(categories, id).has(parent))) return categories;
  const kept = categories.filter((each) => each.id !== id);
  const at = kept.findIndex((each) => each.id === before);
  const place = at < 0 ? kept.length : at;
  return inOrder([...kept.slice(0, place), { ...moved, parent }, ...kept.slice(place)]);
}

/** New categories as they will look; `ids` are their own until the server has given them others. */
function added(categories, edit, ids) {
  const above = [];
  const fresh = edit.names.map((name, at) => {
    const level = edit.levels?.[at] ?? 0;
    while (above.length && above.at(-1).level >= level) above.pop();
    const parent = above.at(-1)?.id ?? edit.parent ?? null;
    above.push({ level, id: ids[at] });
    return { id: ids[at], name, names: [name], pinned: [], negative: [], description: "", examples: [], parent };
  });
  const place = edit.at ?? categories.length;
  return inOrder([...categories.slice(0, place), ...fresh, ...categories.slice(place)]);
}

/** The project as it will be after an edit; `ids` are those of the categories that it adds. */
export function foreseen(project, edit, ids = null) {
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
    case "description":
      return change(edit.category, () => ({ description: edit.description }));
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
    case "add":
      return ids ? { ...project, categories: added(project.categories, edit, ids) } : project;
    case "remove": {
      const gone = project.categories.find((each) => each.id === edit.category);
      const left = project.categories.filter((each) => each !== gone);
      const up = left.map((each) => (gone && each.parent === gone.id ? { ...each, parent: gone.parent } : each));
      return { ...project, categories: inOrder(up) };
    }
    case "place": {
      const moved = project.categories.find((each) => each.id === edit.category);
      if (!moved) return project;
      const beside = project.categories.filter((each) => each.parent === moved.parent && each !== moved);
      return { ...project, categories: nested(project.categories, moved.id, moved.parent, beside[edit.at]?.id) };
    }
    case "nest":
      return { ...project, categories: nested(project.categories, edit.category, edit.parent, edit.before) };
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
    default:
      return project;
  }
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
    case "description":
      return `what “${name(edit.category)}” covers: ${edit.description || "no longer said"}`;
    case "remove":
      return `remove “${name(edit.category)}”`;
    case "place":
      return `move “${name(edit.category)}” to position ${edit.at + 1}`;
    case "nest":
      return `move “${name(edit.category)}” ${edit.parent ? `below “${name(edit.parent)}”` : "to the top level"}`;
    case "judge":
      return "your answer";
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
