(() => {
  if (window.seetopicFigures) return;
  window.seetopicFigures = true;
  let tip = null;
  let lit = null;
  let litTopic = null;
  const toldBy = (target) => {
    const mark = target.closest && target.closest(".st-figure *");
    if (!mark) return null;
    for (let each = mark; each && !each.classList.contains("st-figure"); each = each.parentElement) {
      const title = each.querySelector(":scope > title");
      if (title) {
        each.dataset.tip = title.textContent;
        title.remove(); // otherwise the browser would show its own tip as well
      }
      if (each.dataset.tip) return each;
    }
    return null;
  };
  const show = (text, x, y) => {
    if (!tip) {
      tip = document.createElement("div");
      tip.className = "st-tip";
      tip.setAttribute("aria-hidden", "true");
    }
    const home = document.fullscreenElement || document.querySelector(".seetopic-figure") || document.body;
    if (tip.parentElement !== home) home.append(tip);
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(x + 14, window.innerWidth - box.width - 6);
    const above = y + 18 + box.height > window.innerHeight;
    tip.style.left = `${Math.max(6, left)}px`;
    tip.style.top = `${Math.max(6, above ? y - box.height - 12 : y + 18)}px`;
  };
  const light = (figure, topic) => {
    if (lit === figure && litTopic === topic) return;
    if (lit && lit !== figure) light(lit, null);
    litTopic = topic;
    lit = topic === null ? null : figure;
    for (const each of figure.querySelectorAll("[data-topic]")) {
      each.classList.toggle("st-dim", topic !== null && each.dataset.topic !== topic);
    }
  };
  const hide = () => {
    if (tip) tip.hidden = true;
    if (lit) light(lit, null);
  };
  const look = (event) => {
    const figure = event.target.closest && event.target.closest(".st-figure");
    if (!figure) return hide();
    const told = toldBy(event.target);
    if (told) show(told.dataset.tip, event.clientX, event.clientY);
    else if (tip) tip.hidden = true;
    const topic = event.target.closest("[data-topic]");
    light(figure, topic ? topic.dataset.topic : null);
  };
  document.addEventListener("pointermove", look, { passive: true });
  document.addEventListener("pointerdown", look, { passive: true });
  document.addEventListener("scroll", hide, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
})();
