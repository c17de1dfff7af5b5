// Keeps the focus when an element disappears: after a refresh, an action, a dismissed message or
// the return to a list. The focus moves to the next row, else to the previous one, else to the main
// region.
//
//   data-row      on a list item, with an id that stays the same
//   data-open     on the link in it that opens it
//   data-focus    on a form: the id of the row that gets the focus after its action
//   data-dismiss  on the button that removes its message
(() => {
  "use strict";

  const main = () => document.getElementById("main");
  const rows = () => [...main().querySelectorAll("[data-row]")].filter((row) => row.checkVisibility());
  const opener = (row) => row?.querySelector("a[data-open]");
  const rowAt = (id) => opener(document.getElementById(id));
  const shown = (element) => element?.isConnected && element.checkVisibility() && !element.disabled;

  let lastRow = ""; // the id of the row that had the focus last

  // The candidates for the focus: the ids of the rows after the focused one, then before it.
  const held = () => {
    const element = document.activeElement;
    if (!element || element === document.body || !element.closest("#main, #notices")) return null;
    const all = rows().map((row) => row.id);
    const row = element.closest("[data-row]")?.id || "";
    const at = all.indexOf(row || lastRow);
    const heirs = at < 0 ? [lastRow] : [...all.slice(at), ...all.slice(0, at).reverse()];
    return { element, id: element.id, heirs };
  };

  let before = null; // the swap that is under way
  let acted = null; // the action that is under way; its button rests meanwhile and has lost the focus
  let next = ""; // the row that the action leads to

  const settle = () => {
    if (next && rowAt(next)) {
      rowAt(next).focus();
      rowAt(next).dispatchEvent(new CustomEvent("memoir:lead", { bubbles: true }));
      before = null;
      next = "";
      return;
    }
    if (!before || shown(document.activeElement) && document.activeElement !== document.body) return;
    const same = shown(before.element) ? before.element : before.id && document.getElementById(before.id);
    const heir = shown(same) ? same : before.heirs.map(rowAt).find(shown);
    (heir || main()).focus({ preventScroll: !heir });
    before = null;
  };

  const acting = (form) => {
    acted = held() || acted;
    next = form?.dataset.focus || "";
  };

  document.addEventListener("submit", (event) => acting(event.target), true);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[hx-post]");
    if (button) acting(button.form);
  }, true);

  document.addEventListener("focusin", (event) => {
    lastRow = event.target.closest("[data-row]")?.id || lastRow;
  });

  document.addEventListener("htmx:before:swap", (event) => {
    before = held() || acted;
    if (!event.detail.ctx.refreshOf) acted = null;
  });
  document.addEventListener("htmx:after:swap", settle);
  document.addEventListener("htmx:error", () => {
    acted = null;
    next = "";
  });

  document.addEventListener("click", (event) => {
    const toast = event.target.closest("[data-dismiss]")?.closest(".toast");
    if (!toast) return;
    const hadFocus = toast.contains(document.activeElement);
    toast.remove();
    if (hadFocus) (rowAt(lastRow) || main()).focus({ preventScroll: true });
  });

  // After a return to a list, the focus is on the row that was left.
  const place = () => "focus:" + location.pathname + location.search;

  let goingBack = false;
  const leave = () => {
    if (lastRow) sessionStorage.setItem(place(), lastRow);
  };
  addEventListener("pagehide", () => {
    leave();
    if (goingBack) sessionStorage.setItem("coming-back", "true");
  });
  document.addEventListener("htmx:before:history:update", leave);
  document.addEventListener("htmx:before:history:restore", () => {
    next = sessionStorage.getItem(place()) || lastRow;
  });
  document.addEventListener("click", (event) => {
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    goingBack = !elsewhere && Boolean(event.target.closest("a[data-back]"));
  });

  const [arrival] = performance.getEntriesByType("navigation");
  // htmx reloads the page where a browser would go back.
  const back = sessionStorage.getItem("coming-back") || ["back_forward", "reload"].includes(arrival?.type);
  sessionStorage.removeItem("coming-back");
  if (back) rowAt(sessionStorage.getItem(place()))?.focus();
})();
