// Shows the name of the bar part under the pointer, or of the focused line in the list. Without
// this script the parts have titles, and the list has the same data.
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
