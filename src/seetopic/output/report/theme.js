try {
  const theme = localStorage.getItem("seetopic-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* a browser that keeps nothing shows the system's theme */ }
document.documentElement.classList.add("scripted");
