// The keyboard shortcuts. They depend on these attributes, not on pages:
//
//   data-row         a list item; j and k move to its a[data-open], Enter opens it
//   memoir:select    the event of the link that these keys have moved to
//   memoir:act       the event of a row without a button for the key; its detail selects the button
//   data-editable    on a row of another page's memory; e opens its form
//   data-pick        the checkbox that x toggles
//   data-action      on a button or link: delete, undo, edit, verify, restore, accept, refuse or new. It applies to
//                    its row, in #selection to the selection, in #notices to the last action, else to the page
//   data-go          on a link: the letter after g that opens it (see places)
//   data-back        on the link to the list
//   data-keys-switch the checkbox that turns single keys on
//
// The dialog #keys lists the keys. Its texts are those of keyGroups in the templates.
(() => {
  "use strict";

  const within = 1500; // ms from g to the letter after it
  const actions = { a: ["accept"], d: ["delete"], e: ["edit"], v: ["verify"], r: ["restore", "refuse", "reveal"] };
  const places = { h: "home", r: "review", t: "timeline", m: "memory", c: "context", l: "agent-timeline", s: "settings", q: "agent-review" };

  const main = () => document.getElementById("main");
  const notices = () => document.getElementById("notices");
  const dialog = document.getElementById("keys");
  const shown = (element) => element.checkVisibility();
  const rows = () => [...main().querySelectorAll("[data-row]")].filter((row) => shown(row) && row.querySelector("a[data-open]"));
  const focusedRow = () => document.activeElement?.closest("[data-row]");
  const somethingSelected = () => document.querySelector("#selection[data-some]");

  const enabled = {
    get: () => localStorage.getItem("single-keys") !== "off",
    set: (on) => localStorage.setItem("single-keys", on ? "on" : "off"),
  };

  const isTyped = (element) =>
    element.isContentEditable || element.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])");

  // A phone shows the list or the open memory, so a list shows no row as open.
  const isReadBeside = (row) => row && (!document.getElementById("pane") || shown(document.getElementById("pane")));

  const move = (step) => {
    const all = rows();
    const current = main().querySelector("[data-row][aria-current], [data-row]:has([aria-current])");
    const from = focusedRow() || (isReadBeside(current) ? current : null);
    let to = all.indexOf(from) + step;
    if (!all.includes(from)) to = Math.max(0, all.findIndex((row) => row.getBoundingClientRect().bottom > 0));
    const link = all[to]?.querySelector("a[data-open]");
    link?.focus();
    link?.closest("[data-row]").scrollIntoView({ block: "nearest" });
    link?.dispatchEvent(new CustomEvent("memoir:select", { bubbles: true }));
  };

  const pick = (shift) => {
    const box = focusedRow()?.querySelector("[data-pick]");
    box?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: shift }));
  };

  // An action applies to the selection, else to the focused row, else to the page.
  const act = (actions) => {
    const mark = actions.map((action) => `[data-action="${action}"]`).join(", ");
    const scope = somethingSelected() || focusedRow();
    const target = scope
      ? scope.querySelector(mark)
      : [...main().querySelectorAll(mark)].find((element) => !element.closest("[data-row], #selection"));
    if (target) target.click();
    else if (scope?.dispatchEvent(new CustomEvent("memoir:act", { bubbles: true, cancelable: true, detail: mark }))
      && actions.includes("edit") && scope.matches("[data-editable]")) location.assign(new URL(scope.querySelector("a[data-open]").href).pathname + "/edit");
  };

  const search = () => {
    const field = [...main().querySelectorAll("input[type=search]")].find((input) => shown(input));
    if (!field) return document.getElementById("side-search")?.click();
    field.focus();
    field.select();
  };

  const neighbour = (step) => {
    const all = [...document.querySelectorAll(".side-agents a")];
    all[all.findIndex((link) => link.ariaCurrent) + step]?.click();
  };

  const help = () => (dialog.open ? dialog.close() : dialog.showModal());

  const escape = (event) => {
    const element = document.activeElement;
    const step = element.closest("details.confirm[open]") || main().querySelector("details.confirm[open]");
    const back = main().querySelector("a[data-back]");
    if (dialog.open) return;
    if (isTyped(element)) {
      if (element.value && element.type === "search") return; // the browser empties it
      if (!main().querySelector(".editor")) (rows()[0]?.querySelector("a[data-open]") || main()).focus({ preventScroll: true });
    } else if (step) {
      step.open = false;
      step.querySelector("summary").focus();
    } else if (notices().contains(element)) {
      element.closest(".toast").querySelector("[data-dismiss]").click();
    } else if (somethingSelected()) {
      somethingSelected().reset();
    } else if (back && shown(back) && !main().querySelector(".editor")) {
      back.click();
    } else {
      return;
    }
    event.preventDefault();
  };

  // From the page to the message and back.
  let before = null;
  const changeRegion = (event) => {
    const message = notices().querySelector("button");
    if (!message?.checkVisibility({ visibilityProperty: true })) return;
    event.preventDefault();
    if (notices().contains(document.activeElement)) {
      (before?.isConnected ? before : main()).focus();
    } else {
      before = document.activeElement;
      message.focus();
    }
  };

  const single = {
    "/": search,
    "?": help,
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    "[": () => neighbour(-1),
    "]": () => neighbour(1),
    x: () => pick(false),
    X: () => pick(true),
    n: () => main().querySelector('[data-action="new"]')?.click(),
    u: () => document.dispatchEvent(new Event("memoir:undo")),
  };
  for (const [key, does] of Object.entries(actions)) single[key] = () => act(does);
  const repeats = ["j", "k", "ArrowDown", "ArrowUp"];

  let leader = -within;

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") return escape(event);
    if (event.key === "F6") return changeRegion(event);
    if (event.key === "Enter" && event.target.matches("[data-pick]")) {
      // Otherwise the browser would press the first button of the checkbox's form.
      event.preventDefault();
      focusedRow().querySelector("a[data-open]").click();
      return;
    }
    if (event.key.startsWith("Arrow") && !focusedRow() && (event.target !== document.body || !document.getElementById("list"))) return;
    if (!enabled.get() || isTyped(event.target) || dialog.open && event.key !== "?") return;
    const place = event.timeStamp - leader < within && places[event.key];
    leader = event.key === "g" ? event.timeStamp : -within;
    const link = place && document.querySelector(`a[data-go="${place}"]`);
    const act = link ? () => link.click() : !place && Object.hasOwn(single, event.key) && single[event.key];
    if (!act || event.repeat && !repeats.includes(event.key)) return;
    event.preventDefault();
    act();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("#keys-link") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      help();
    }
    if (event.target === dialog) dialog.close(); // its backdrop
  });

  const switches = () => document.querySelectorAll("[data-keys-switch]");
  const showSwitch = () => switches().forEach((box) => { box.checked = enabled.get(); });
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-keys-switch]")) return;
    enabled.set(event.target.checked);
    showSwitch();
  });
  showSwitch();
})();
