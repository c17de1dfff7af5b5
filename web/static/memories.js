// Opens memories next to their list. Without this script each memory is a page that looks the same.
//
// Links with data-open in a row, and links in #reading to a memory, replace #reading with that
// page's. Links with data-back, and the browser's back and forward, replace #main. Rows loaded by
// scrolling, folded groups and scroll positions stay. A button with data-copy copies the body of
// the memory at that API address.
(() => {
  "use strict";

  const main = () => document.getElementById("main");
  const list = () => document.getElementById("list");
  const reading = () => document.getElementById("reading");
  const here = () => location.pathname + location.search;
  const agentOf = (path) => path.match(/^\/agents\/[^/?]+\/memory(?=[/?]|$)/)?.[0];

  const ofMemory = /^\/agents\/[^/]+\/memory\/[0-9a-f-]{36}$/;

  // The list's scroll position by address: its own on a wide screen, the window's on a narrow one,
  // where the open memory replaces it.
  const places = new Map();
  const keepPlace = () => places.set(here(), { list: list()?.scrollTop ?? 0, window: scrollY });
  const takePlace = (path) => {
    const place = places.get(path);
    if (!place) return;
    if (list()) list().scrollTop = place.list;
    scrollTo(0, place.window);
  };

  const failed = (ctx) => !ctx.response.raw.ok || ctx.response.raw.redirected;

  // Both wait for running requests for #main, as the attributes of #reading require.
  function open(href) {
    keepPlace();
    htmx.ajax("GET", href, { source: reading(), then: opened });
  }

  function show(href, push) {
    htmx.ajax("GET", href, {
      source: reading(), target: "#main", select: "#main", push: push ? "true" : "false", then: () => takePlace(href),
    });
  }

  function opened() {
    markCurrent();
    reading().scrollTop = 0;
    if (list().offsetParent) return; // both are seen, and the focus stays in the list
    scrollTo(0, 0);
    reading().querySelector("h2")?.focus({ preventScroll: true });
  }

  // Marks the row of the open memory, as a fully loaded page does.
  function markCurrent() {
    const article = reading().querySelector("article");
    list().closest(".mailbox").toggleAttribute("data-open", Boolean(article));
    const id = article?.id.replace("open-", "memory-");
    for (const link of list().querySelectorAll("a[data-open]")) {
      if (link.closest(".row").id === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
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
      status.textContent = "It could not be copied. Open the raw file instead.";
    }
  }

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest("a[data-open], a[data-back], #reading a");
    const button = event.target.closest("button[data-copy]");
    if (button) copy(button);
    if (!link || !reading() || !main().contains(link)) return;
    const { origin, pathname, search } = new URL(link.href);
    const back = "back" in link.dataset;
    if (origin !== location.origin || agentOf(pathname) !== agentOf(here()) || !(back || ofMemory.test(pathname))) return;
    event.preventDefault();
    if (back) show(pathname + search, true);
    else open(pathname + search);
  });

  document.addEventListener("htmx:before:history:restore", (event) => {
    const { path } = event.detail;
    if (!reading() || !agentOf(path) || agentOf(path) !== agentOf(here())) return;
    event.preventDefault();
    show(path, false);
  });

  document.addEventListener("htmx:config:request", (event) => {
    const { request, sourceElement } = event.detail.ctx;
    if (sourceElement.id !== "search") return;
    for (const [name, value] of [...request.body]) if (!value) request.body.delete(name);
  });

  // A response of another kind, or a redirect, is loaded as a page.
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (!ctx.then || !failed(ctx)) return;
    event.preventDefault();
    location.assign(ctx.request.action);
  });

  document.addEventListener("htmx:after:swap", (event) => {
    folding.apply();
    event.detail.ctx.then?.();
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("details.group")) folding.keep(event.target);
  }, true);

  if (navigator.clipboard) document.documentElement.dataset.clipboard = "";
  folding.apply();
})();
