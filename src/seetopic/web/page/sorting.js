// Reordering a list by dragging; keys and buttons are handled elsewhere.

/** Rows are dragged by their `.grip`; `placed(key, at)` is called on drop. */
export function sortable(list, placed) {
  let dragged = null;
  const clear = () =>
    list
      .querySelectorAll(".drop-before, .drop-after")
      .forEach((each) => each.classList.remove("drop-before", "drop-after"));
  const target = (event) => {
    const row = event.target.closest?.("[data-key]");
    if (!row || row.parentElement !== list) return null;
    const box = row.getBoundingClientRect();
    return { row, after: event.clientY > box.top + box.height / 2 };
  };
  list.addEventListener("dragstart", (event) => {
    if (!event.target.closest?.(".grip")) return;
    dragged = event.target.closest("[data-key]");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.key);
    event.dataTransfer.setDragImage(dragged, 10, 10);
    dragged.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    const found = dragged && target(event);
    if (!found) return;
    event.preventDefault();
    clear();
    if (found.row !== dragged) found.row.classList.add(found.after ? "drop-after" : "drop-before");
  });
  list.addEventListener("drop", (event) => {
    const found = dragged && target(event);
    if (!found) return;
    event.preventDefault();
    const others = [...list.children].filter((each) => each !== dragged);
    if (found.row !== dragged) placed(dragged.dataset.key, others.indexOf(found.row) + (found.after ? 1 : 0));
  });
  list.addEventListener("dragend", () => {
    dragged?.classList.remove("dragged");
    dragged = null;
    clear();
  });
}
