// Set the colours before the page is drawn: as chosen here earlier, else as the system asks.
(() => {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  } catch {
    // without storage the system decides
  }
})();
