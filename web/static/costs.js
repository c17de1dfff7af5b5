// Names the part of the bar of costs that somebody points at, or whose line in the list has the focus. Without this
// script the parts have their names as titles, and the list has the same names and figures.
(() => {
  "use strict";

  const name = (event) => {
    const id = event.target.closest?.("[data-cost]")?.dataset.cost;
    if (!id) return;
    for (const part of document.querySelectorAll(".cost-bar [data-cost]")) {
      const named = part.dataset.cost === id;
      part.toggleAttribute("data-named", named);
      if (named) document.getElementById("cost-named").textContent = part.querySelector("title").textContent;
    }
  };

  document.addEventListener("pointerover", name);
  document.addEventListener("focusin", name);
})();
