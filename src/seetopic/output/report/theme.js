try {
  const theme = localStorage.getItem("seetopic-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* without storage, the system's theme is used */ }
document.documentElement.classList.add("scripted");
