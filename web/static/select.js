// Selects many memories and submits them to an action. The selection survives refreshes, loading,
// other views of the same list and opening a memory, until it is cleared or used. Without this
// script the checkboxes belong to a plain form and the bar is always visible.
//
//   #selection      the form of the bar
//   data-list       on it, and around other forms that submit the selection: the list
//   data-pick       a row's checkbox: its value is the memory's id and, after a space, the ETag
//   data-pick-all   selects all shown rows of its section
//   data-selected   the number of selected memories
//   data-many       a button that submits many; more than fifty are sent in parts, with progress
(() => {
  "use strict";

  const part = 50; // as many as the server deals with at once

  const bar = () => document.getElementById("selection");
  const picks = (within = document) => [...within.querySelectorAll("[data-pick]")];
  const idOf = (value) => value.split(" ", 1)[0];
  const ids = () => picks().map((pick) => idOf(pick.value));
  const groupOf = (all) => picks(all.closest("section, details") || document.getElementById("main"));

  let list = "";
  let selected = new Map(); // the values by id
  let last = ""; // the id that was ticked last
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
    }
    for (const pick of picks()) {
      const id = idOf(pick.value);
      pick.checked = selected.has(id) || pick.defaultChecked;
      if (pick.checked) selected.set(id, pick.value);
    }
    show();
  };

  const show = () => {
    keep();
    const here = new Set(ids());
    const elsewhere = [...selected].filter(([id]) => !here.has(id)).map(([, value]) => value);
    bar().toggleAttribute("data-some", selected.size > 0);
    bar().querySelector("[data-selected]").textContent =
      selected.size.toLocaleString("en") + " selected" + (elsewhere.length ? `, ${elsewhere.length.toLocaleString("en")} not shown here` : "");
    for (const old of bar().querySelectorAll("[data-elsewhere]")) old.remove();
    bar().append(...elsewhere.map((value) => field("memory", value, "data-elsewhere")));
    for (const all of document.querySelectorAll("[data-pick-all]")) {
      const group = groupOf(all);
      const ticked = group.filter((pick) => pick.checked).length;
      all.checked = ticked > 0 && ticked === group.length;
      all.indeterminate = ticked > 0 && ticked < group.length;
    }
  };

  const field = (name, value, mark) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    if (mark) input.setAttribute(mark, "");
    return input;
  };

  const tick = (all, checked) => {
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
    }
  });

  document.addEventListener("reset", (event) => {
    if (event.target !== bar()) return;
    event.preventDefault();
    selected.clear();
    tick(picks(), false);
  });

  // All parts but the last are sent by script. The last one is sent as the form.

  const sent = (form, values) => {
    const gone = new Set(values);
    for (const input of form.querySelectorAll(`input[type=hidden][name=memory]`)) {
      if (gone.has(input.value)) input.remove();
    }
    if (form !== bar()) return;
    for (const value of values) selected.delete(idOf(value));
    for (const pick of picks()) pick.checked = selected.has(idOf(pick.value));
    show();
  };

  const meter = (all) => {
    const toast = document.getElementById("sending").content.cloneNode(true).firstElementChild;
    const progress = toast.querySelector("progress");
    const words = toast.querySelector("[data-words]");
    const at = (n) => {
      progress.max = all;
      progress.value = n;
      words.textContent = `${n.toLocaleString("en")} of ${all.toLocaleString("en")}`;
    };
    at(0);
    document.getElementById("notices").append(toast);
    return { at, end: () => toast.remove() };
  };

  const send = async (address, fields) => {
    const response = await fetch(address, { method: "POST", body: fields });
    if (response.status !== 204) throw new Error(response.status);
    return response.headers.get("Memoir-Batch");
  };

  const inParts = async (button, address, values) => {
    const form = button.form;
    const progress = meter(values.length);
    button.disabled = true;
    let batch = "";
    try {
      for (let n = 0; n + part < values.length; n += part) {
        const some = values.slice(n, n + part);
        const fields = new URLSearchParams([["more", "true"], ["batch", batch], ...some.map((value) => ["memory", value])]);
        batch = await send(address, fields);
        sent(form, some);
        progress.at(n + part);
      }
    } catch {
      progress.end();
      document.dispatchEvent(new CustomEvent("memoir:unanswered"));
      return;
    } finally {
      button.disabled = false;
    }
    form.append(field("batch", batch));
    button.click();
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-many]");
    if (!button) return;
    const values = new FormData(button.form).getAll("memory");
    if (values.length <= part) {
      leaving = button.closest("[data-list]")?.dataset.list || "";
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    inParts(button, button.getAttribute("formaction") || button.form.action, values);
  }, true);

  // Rows that a refresh of the same view removes are deselected. An action ends the selection when
  // its response arrives, not at an earlier refresh.
  let refreshed = null;

  document.addEventListener("htmx:before:swap", (event) => {
    refreshed = event.detail.ctx.refreshOf ? ids() : null;
  });
  document.addEventListener("htmx:after:swap", () => {
    if (refreshed) {
      const here = new Set(ids());
      for (const id of refreshed) if (!here.has(id)) selected.delete(id);
    }
    if (leaving && !refreshed) {
      sessionStorage.removeItem("selected:" + leaving);
      if (leaving === list) selected.clear();
      leaving = "";
    }
    adopt();
  });
  document.addEventListener("htmx:error", () => { leaving = ""; });

  adopt();
})();
