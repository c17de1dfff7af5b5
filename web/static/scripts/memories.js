// The Memory tab: opens memories and forms in the pane, next to their list. Without this script each
// of them is a page that looks the same.
//
// A click on a row, and a link in #pane to a memory, replaces #pane. The keys that move to another row
// open it too, without an entry in the history. A decision about the open memory leads to the next row.
// Links with data-back, and the browser's back and forward, replace #main. Rows loaded by scrolling,
// folded groups and scroll positions stay. A button with data-copy copies the body of the memory at
// that API address.
(() => {
  "use strict";

  const moving = 80; // ms from the last key to the request for its row
  const revealed = 30000; // ms that a secret is shown

  const main = () => document.getElementById("main");
  const list = () => document.getElementById("list");
  const pane = () => document.getElementById("pane");
  const here = () => location.pathname + location.search;
  const agentOf = (path) => path.match(/^\/agents\/[^/?]+\/memory(?=[/?]|$)/)?.[0];
  const isShown = (element) => Boolean(element?.checkVisibility());
  const seesBoth = () => isShown(list()) && isShown(pane());

  const ofMemory = /^\/agents\/[^/]+\/memory\/[0-9a-f-]{36}$/;
  const ofForm = /^\/agents\/[^/]+\/memory\/(?:new|[0-9a-f-]{36}\/edit)$/;

  const openID = () => pane()?.querySelector("article.memory")?.id.replace("open-", "") || "";
  const rowOf = (id) => document.getElementById("memory-" + id);
  const linkOf = (row) => row?.querySelector("a[data-open]");
  const rows = () => [...list().querySelectorAll("[data-row]")].filter((row) => linkOf(row) && !row.closest("details:not([open])"));
  const pathOf = (link) => { const url = new URL(link.href); return url.pathname + url.search; };

  // The list's scroll position by address: its own on a wide screen, the window's on a narrow one,
  // where the pane replaces it.
  const places = new Map();
  const keepPlace = () => places.set(here(), { list: list()?.scrollTop ?? 0, window: scrollY });
  const takePlace = (path) => {
    const place = places.get(path);
    if (!place) return;
    if (list()) list().scrollTop = place.list;
    scrollTo(0, place.window);
  };

  const failed = (ctx) => !ctx.response.raw.ok || ctx.response.raw.redirected;

  // Asks a form with unsaved text first. It calls go later if the user leaves.
  const mayLeave = (go) => document.dispatchEvent(new CustomEvent("memoir:leave", { cancelable: true, detail: go }));

  const opening = {
    timer: 0,
    path: "",
    then: [],
    isPending() { return Boolean(this.timer || this.path); },
    done() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.path = "";
      const all = this.then;
      this.then = [];
      for (const next of all) next();
    },
  };

  // Opens a page in the pane. entry is push, replace or keep: what becomes of the address.
  function open(path, entry, then) {
    if (!mayLeave(() => open(path, entry, then))) return;
    keepPlace();
    clearTimeout(opening.timer);
    opening.timer = 0;
    opening.path = path;
    if (then) opening.then.push(then);
    htmx.ajax("GET", path, { source: pane(), target: "#pane", swap: "outerMorph", then: () => opened(path, entry) });
  }

  function opened(path, entry) {
    if (entry !== "keep" && path !== here()) {
      history[entry === "push" ? "pushState" : "replaceState"]({ htmx: true }, "", path);
    }
    markCurrent();
    pane().querySelector(".pane-body")?.scrollTo(0, 0);
    const heading = pane().querySelector("h2");
    if (heading) document.title = [heading.textContent, ...document.title.split(" · ").slice(-2)].join(" · ");
    const field = pane().querySelector(".editor #body, .editor #name");
    if (field) {
      const first = pane().querySelector(".editor #name");
      (first.value ? pane().querySelector(".editor #body") : first).focus({ preventScroll: true });
    } else if (!isShown(list())) {
      scrollTo(0, 0);
      heading?.focus({ preventScroll: true });
    }
    opening.done();
  }

  function show(path, push) {
    if (!mayLeave(() => show(path, push))) return;
    htmx.ajax("GET", path, {
      source: pane(), target: "#main", select: "#main", push: push ? "true" : "false", then: () => takePlace(path),
    });
  }

  // Marks a row, by default that of the open memory, as a fully loaded page does.
  function markCurrent(row = rowOf(openID())) {
    const isForm = Boolean(pane().querySelector(".editor"));
    if (!isForm || !isShown(list())) list().closest(".mailbox")?.toggleAttribute("data-open", isForm || Boolean(openID()));
    if (isForm) return;
    list().querySelector("[aria-current]")?.removeAttribute("aria-current");
    linkOf(row)?.setAttribute("aria-current", "true");
  }

  // The row below the open one, else the one above.
  function nextRow() {
    const all = rows();
    const at = all.indexOf(rowOf(openID()));
    return at < 0 ? null : all[at + 1] || all[at - 1];
  }

  const folding = {
    key: "memoir-folded",
    folded() {
      try {
        return new Set(JSON.parse(localStorage.getItem(this.key)) ?? []);
      } catch {
        return new Set();
      }
    },
    searching: () => Boolean(document.getElementById("q")?.value),
    // Search results are shown even in a folded group.
    apply() {
      const folded = this.folded();
      for (const group of document.querySelectorAll("#list details.group")) {
        const wanted = this.searching() || !folded.has(group.id);
        if (group.open !== wanted) group.open = wanted;
      }
    },
    keep(group) {
      if (this.searching() || !group.isConnected) return;
      const folded = this.folded();
      if (folded.has(group.id) === !group.open) return;
      if (group.open) folded.delete(group.id);
      else folded.add(group.id);
      try {
        localStorage.setItem(this.key, JSON.stringify([...folded]));
      } catch {
        // Without storage the state is not remembered.
      }
    },
  };

  async function copy(button) {
    const status = document.getElementById("copied");
    status.textContent = "";
    try {
      const answer = await fetch(button.dataset.copy);
      if (!answer.ok) throw new Error(answer.status);
      await navigator.clipboard.writeText((await answer.json()).body ?? "");
      status.textContent = "Copied";
    } catch {
      status.textContent = "Not copied. Open the raw file.";
    }
  }

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const button = event.target.closest("button[data-copy]");
    if (button) copy(button);
    const link = event.target.closest("a[data-open], a[data-back], #pane a, a[data-action=new]");
    if (!link || !pane() || !main().contains(link)) return;
    const { origin, pathname } = new URL(link.href);
    const isBack = "back" in link.dataset;
    const isForm = ofForm.test(pathname) && isShown(pane());
    if (origin !== location.origin || agentOf(pathname) !== agentOf(here()) || !(isBack || isForm || ofMemory.test(pathname))) return;
    event.preventDefault();
    const path = pathOf(link);
    const isKey = event.detail === 0 && "open" in link.dataset;
    const enter = isKey ? () => pane().querySelector("h2")?.focus({ preventScroll: true }) : undefined;
    if (isBack) show(path, true);
    else open(path, isForm ? "keep" : "push", enter);
  });

  // The keys of keys.js. A key that comes while the pane is not settled waits, so that it is about the
  // memory that the user sees by then.
  let acting = false;
  const waiting = [];
  const decisions = ["d", "v", "e", "r"];
  const steps = ["j", "k", "ArrowDown", "ArrowUp"];

  document.addEventListener("keydown", (event) => {
    if (!event.isTrusted || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select")) return;
    const isDecision = decisions.includes(event.key);
    if (!(acting && (isDecision || steps.includes(event.key)) || isDecision && opening.isPending())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) waiting.push(event.key);
    if (opening.timer) open(opening.path, "replace");
  }, true);

  const settled = () => {
    while (waiting.length && !acting && !opening.isPending()) {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: waiting.shift(), bubbles: true, cancelable: true }));
    }
  };

  document.addEventListener("memoir:select", (event) => {
    if (!list()?.contains(event.target) || !seesBoth()) return;
    markCurrent(event.target.closest("[data-row]")); // seen before it is open
    clearTimeout(opening.timer);
    opening.path = pathOf(event.target);
    opening.timer = setTimeout(() => open(opening.path, "replace"), moving);
  });

  // An undo leads to the restored row, which is opened as well.
  let undoing = false;
  document.addEventListener("memoir:lead", (event) => {
    const row = event.target.closest("[data-row]");
    if (undoing && list()?.contains(row) && seesBoth() && row.id !== "memory-" + openID()) open(pathOf(event.target), "replace");
  });

  // A decision by key about the focused row is the button of the pane. If the pane shows another
  // memory, for example because the open one was deleted elsewhere, the key only opens the row.
  document.addEventListener("memoir:act", (event) => {
    const row = event.target;
    if (!list()?.contains(row)) return;
    event.preventDefault();
    const act = () => pane().querySelector(event.detail)?.click();
    if (row.id === "memory-" + openID()) act();
    else if (seesBoth() && !event.detail.includes("edit")) open(pathOf(linkOf(row)), "replace");
    else open(pathOf(linkOf(row)), seesBoth() ? "replace" : "keep", act);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !pane()?.contains(document.activeElement) || pane().querySelector(".editor")) return;
    const link = seesBoth() && linkOf(rowOf(openID()));
    if (!link) return;
    event.preventDefault();
    link.focus();
  });

  document.addEventListener("submit", (event) => {
    undoing = Boolean(event.target.closest("#notices"));
    const does = event.submitter?.dataset.action;
    if (!pane()?.contains(event.target) || !["delete", "verify", "restore"].includes(does)) return;
    acting = true;
    const next = nextRow();
    const back = event.target.elements.back;
    if (!next || !back) return;
    back.value = pathOf(linkOf(next));
    if (seesBoth()) event.target.dataset.focus = next.id;
    else delete event.target.dataset.focus;
  }, true);

  document.addEventListener("htmx:before:history:restore", (event) => {
    const { path } = event.detail;
    if (!pane() || !agentOf(path) || agentOf(path) !== agentOf(here())) return;
    event.preventDefault();
    show(path, false);
  });

  document.addEventListener("htmx:config:request", (event) => {
    const { request, sourceElement } = event.detail.ctx;
    if (sourceElement.id !== "search") return;
    for (const [name, value] of [...request.body]) if (!value) request.body.delete(name);
  });

  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    // A response of another kind, or a redirect, is loaded as a page.
    if (ctx.then && failed(ctx)) {
      event.preventDefault();
      location.assign(ctx.request.action);
      return;
    }
    // A form and a revealed secret stay until an answer to the user replaces them.
    if (pane()?.contains(ctx.sourceElement)) pane().removeAttribute("hx-morph-skip");
    const form = pane()?.querySelector(".editor");
    if (!ctx.refreshOf || !form) return;
    const now = new DOMParser().parseFromString(ctx.text, "text/html").querySelector("article.memory");
    if (now && form.dataset.etag) pane().querySelector("[data-changed]").hidden = now.dataset.etag === form.dataset.etag;
  });

  let hiding = 0;
  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail;
    folding.apply();
    if (!ctx.refreshOf) {
      acting = false;
      clearTimeout(hiding);
      if (pane()?.querySelector("[data-revealed]")) hiding = setTimeout(hide, revealed);
    }
    ctx.then?.();
    setTimeout(settled); // after focus.js has moved the focus
  });
  const hide = () => pane()?.querySelector("[data-revealed] [data-action=reveal]")?.click();

  document.addEventListener("htmx:error", () => {
    acting = false;
    opening.then = [];
    opening.done();
    waiting.length = 0;
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("details.group")) folding.keep(event.target);
  }, true);

  if (navigator.clipboard) document.documentElement.dataset.clipboard = "";
  folding.apply();
})();
