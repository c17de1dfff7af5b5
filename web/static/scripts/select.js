// Selects many memories. The selection survives refreshes, loading, other views of the same list and
// opening a memory, until it is cleared or used. Without this script the checkboxes belong to a plain
// form and the bar is always visible.
//
//   #selection       the form of the bar
//   data-list        on it, and around other forms that submit the selection: the list
//   data-pick        a row's checkbox: its value is the memory's id and, after a space, the ETag
//   data-pick-all    selects all shown rows of its group, or of the list
//   data-pick-whole  selects all memories of the list, also those that are not on the page: how many
//   data-selected    the number of selected memories
//   data-many        a button that submits the selection
(() => {
  "use strict";

  const bar = () => document.getElementById("selection");
  const whole = () => document.getElementById("pick-whole");
  const picks = (within = document) => [...within.querySelectorAll("[data-pick]")];
  const idOf = (value) => value.split(" ", 1)[0];
  const ids = () => picks().map((pick) => idOf(pick.value));
  const groupOf = (all) => picks(all.closest("section, details") || document.getElementById("main"));

  let list = "";
  let selected = new Map(); // the values by id
  let last = ""; // the id that was ticked last
  let seen = ""; // the value of data-pick-whole when it was ticked; empty if it is not
  let leaving = ""; // the list whose selection is on its way to the server

  const keep = () => sessionStorage.setItem("selected:" + list, JSON.stringify([...selected.values()]));
  const kept = () => {
    const values = JSON.parse(sessionStorage.getItem("selected:" + list) || "[]");
    return new Map(values.map((value) => [idOf(value), value]));
  };

  // Shown checkboxes follow the stored selection, and the server's preselected ones are added to
  // it.
  const adopt = () => {
    if (!bar()) return;
    if (list !== bar().dataset.list) {
      list = bar().dataset.list;
      selected = kept();
      seen = "";
    }
    for (const pick of picks()) {
      const id = idOf(pick.value);
      pick.checked = seen !== "" || selected.has(id) || pick.defaultChecked;
      if (pick.checked) selected.set(id, pick.value);
    }
    if (!whole()) seen = "";
    else if (seen) whole().value = seen; // what was seen when it was ticked
    show();
  };

  const show = () => {
    keep();
    const here = new Set(ids());
    const elsewhere = [...selected].filter(([id]) => !here.has(id)).map(([, value]) => value);
    const n = selected.size.toLocaleString("en");
    const also = elsewhere.length && !seen ? `, ${elsewhere.length.toLocaleString("en")} not shown` : "";
    bar().toggleAttribute("data-some", selected.size > 0);
    bar().toggleAttribute("data-all", here.size > 0 && selected.size >= here.size);
    bar().querySelector("[data-selected]").textContent = (seen ? whole().dataset.pickWhole : n) + " selected" + also;
    for (const old of bar().querySelectorAll("[data-elsewhere]")) old.remove();
    bar().append(...elsewhere.map((value) => field("memory", value)));
    if (whole()) whole().checked = seen !== "";
    for (const all of document.querySelectorAll("[data-pick-all]")) {
      const group = groupOf(all);
      const ticked = group.filter((pick) => pick.checked).length;
      all.checked = ticked > 0 && ticked === group.length;
      all.indeterminate = ticked > 0 && ticked < group.length;
    }
  };

  const field = (name, value) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    input.setAttribute("data-elsewhere", "");
    return input;
  };

  const tick = (all, checked) => {
    seen = "";
    for (const pick of all) {
      pick.checked = checked;
      if (checked) selected.set(idOf(pick.value), pick.value);
      else selected.delete(idOf(pick.value));
    }
    show();
  };

  // With Shift, all between the last checkbox and this one change.
  const upTo = (pick) => {
    const all = picks().filter((other) => other.closest("[data-row]").checkVisibility());
    const from = all.findIndex((other) => idOf(other.value) === last);
    const to = all.indexOf(pick);
    return from < 0 ? [pick] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
  };

  document.addEventListener("click", (event) => {
    const target = event.target;
    if (target.matches("[data-pick]")) {
      tick(event.shiftKey ? upTo(target) : [target], target.checked);
      last = idOf(target.value);
    } else if (target.matches("[data-pick-all]")) {
      tick(groupOf(target), target.checked);
    } else if (target.matches("[data-pick-whole]")) {
      seen = target.checked ? target.value : "";
      show();
    }
  });

  document.addEventListener("reset", (event) => {
    if (event.target !== bar()) return;
    event.preventDefault();
    selected.clear();
    tick(picks(), false);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.form?.elements.memory || button?.form?.elements.all) leaving = button.closest("[data-list]")?.dataset.list || "";
  }, true);

  // Rows that a refresh of the same view removes are deselected. An action ends the selection when
  // its response arrives, not at an earlier refresh. A question about it keeps it.
  let refreshed = null;

  document.addEventListener("htmx:before:swap", (event) => {
    refreshed = event.detail.ctx.refreshOf ? ids() : null;
  });
  document.addEventListener("htmx:after:swap", (event) => {
    if (refreshed) {
      const here = new Set(ids());
      for (const id of refreshed) if (!here.has(id)) selected.delete(id);
    }
    if (leaving && !refreshed) {
      if (!document.querySelector("[data-question]")) {
        sessionStorage.removeItem("selected:" + leaving);
        if (leaving === list) selected.clear();
        seen = "";
      }
      leaving = "";
    }
    adopt();
  });
  document.addEventListener("htmx:error", () => { leaving = ""; });

  adopt();
})();
