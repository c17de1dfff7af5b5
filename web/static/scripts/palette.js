// The palette: a dialog that opens agents, memories, actions and pages by their names. Without this
// script, its links lead to the search page.
(() => {
  "use strict";

  const debounce = 60; // ms after the last key
  const kept = 8; // pages in the list of recent ones
  const store = "recent";
  const part = { headers: { "HX-Request-Type": "partial" } }; // leaves the notice to the next document

  const dialog = document.getElementById("palette");
  const field = document.getElementById("palette-field");
  const list = document.getElementById("palette-list");
  const status = dialog.querySelector("[role=status]");
  const options = () => [...list.querySelectorAll("[role=option]")];
  const active = () => list.querySelector("[aria-selected=true]");

  // The memories and agents that were open, the last one first.
  const recent = () => {
    try {
      const all = JSON.parse(localStorage.getItem(store)) || [];
      const here = location.pathname.match(/^\/agents\/[^/]+(\/memory\/(?!new$)[^/]+$)?/)?.[0];
      if (!here || here === all[0]) return all;
      const now = [here, ...all.filter((path) => path !== here)].slice(0, kept);
      localStorage.setItem(store, JSON.stringify(now));
      return now;
    } catch {
      return []; // without storage nothing is remembered
    }
  };

  const results = {
    shown: null, // the text whose results are shown
    timer: 0,
    request: null,

    ask(delay) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), delay);
    },

    async load() {
      clearTimeout(this.timer);
      this.request?.abort();
      const request = this.request = new AbortController();
      const typed = field.value;
      const query = new URLSearchParams({ q: typed, here: location.pathname });
      if (!typed) for (const path of recent()) query.append("recent", path);
      try {
        const response = await fetch(dialog.dataset.results + "?" + query, { ...part, signal: request.signal });
        if (!response.ok) throw new Error(response.status);
        this.show(typed, await response.text());
        return true;
      } catch (error) {
        if (error.name !== "AbortError") this.show(null, "");
        return false;
      }
    },

    show(typed, html) {
      this.shown = typed;
      list.innerHTML = html;
      status.textContent = list.firstElementChild?.dataset.status || "";
      options().forEach((option, i) => { option.id = "palette-" + i; });
      select(options()[0]);
    },
  };

  const select = (option) => {
    active()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  };

  const move = (step) => {
    const all = options();
    select(all[(all.indexOf(active()) + step + all.length) % all.length]);
  };

  const choose = async (inNewTab) => {
    if (results.shown !== field.value && !await results.load()) return; // typed faster than answered
    const option = active();
    if (!option) return field.form.submit();
    if (inNewTab && option.href) window.open(option.href, "_blank", "noopener");
    else option.click();
    dialog.close();
  };

  const open = () => {
    if (dialog.open) return;
    document.querySelectorAll("dialog[open]").forEach((other) => other.close());
    field.value = "";
    dialog.showModal();
    results.load();
  };

  field.addEventListener("input", () => results.ask(debounce));
  field.form.addEventListener("submit", (event) => event.preventDefault());

  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && event.target === field) choose(event.metaKey || event.ctrlKey);
    else if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key !== "Escape") return;
    else dialog.close();
    event.preventDefault();
    event.stopPropagation();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
  list.addEventListener("pointermove", (event) => {
    const option = event.target.closest("[role=option]");
    if (option && option !== active()) select(option);
  });

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      open();
    } else if (event.key === "/" && target.matches("input[type=search], #palette-field") && !target.value) {
      event.preventDefault(); // the key that leads to the field types nothing
    }
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-palette]") || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });

  // Copies the text that a link leads to.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-copies]");
    if (!link || !navigator.clipboard || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    try {
      await navigator.clipboard.writeText(await (await fetch(link.href, part)).text());
      link.title = link.dataset.copies;
      link.dataset.copied = "";
    } catch {
      location.assign(link.href);
    }
  });

  // Pages name the keys of Apple's keyboards.
  const nameKeys = () => {
    for (const key of document.querySelectorAll("kbd")) if (key.textContent.startsWith("⌘")) key.textContent = key.textContent.replace("⌘", "Ctrl ");
  };
  if (!/Mac|iP/.test(navigator.platform)) {
    nameKeys();
    document.addEventListener("htmx:after:swap", nameKeys);
  }
  addEventListener("pagehide", recent);
  recent();
})();
