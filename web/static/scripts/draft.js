// Keeps what is typed into a memory's form. A changed form is stored as a draft, and leaving it asks
// first. Without this script a form is a form.
//
//   data-draft    on form.editor with a field for a body: the key of its draft; absent if the text must not be kept
//   data-dirty    on it: its text is unsaved although nothing was typed yet
//   data-leave    the link that leaves the form
//   data-count-of the id of the field whose characters it counts, of data-limit
(() => {
  "use strict";

  const pause = 500; // ms from the last key to the draft
  const kept = 7 * 24 * 3600 * 1000; // ms
  const prefix = "memoir-draft:";
  // A text like this is not stored. The server knows more of them.
  const secret = /(?:passw(?:or)?d|passphrase|secret|token|api.?key)["']?\s*[:=]\s*\S|gh[pousr]_\w{16}|\bsk-\w{16}|\bAKIA\w{12}|PRIVATE KEY/i;

  const form = () => document.querySelector("#main form.editor:has(#body)");
  const dialog = () => document.getElementById("leave");
  const valuesOf = (form) => Object.fromEntries(["name", "type", "description", "body"].map((name) => [name, new FormData(form).get(name) ?? ""]));
  const textOf = (form) => JSON.stringify(valuesOf(form));

  const storage = {
    read(key) {
      try {
        const draft = JSON.parse(localStorage.getItem(prefix + key));
        return draft && Date.now() - draft.at < kept ? draft : null;
      } catch {
        return null;
      }
    },
    write(key, values) {
      try {
        localStorage.setItem(prefix + key, JSON.stringify({ at: Date.now(), values }));
      } catch {
        // Without storage nothing is kept.
      }
    },
    remove: (key) => localStorage.removeItem(prefix + key),
    clean() {
      for (const key of Object.keys(localStorage)) if (key.startsWith(prefix) && !this.read(key.slice(prefix.length))) localStorage.removeItem(key);
    },
  };

  let shown = null; // the form that was prepared last
  let first = ""; // its text when it was shown
  let timer = 0;
  let leaves = false; // the user has decided to leave
  let saving = "";

  const isDirty = () => Boolean(shown?.isConnected) && !leaves && ("dirty" in shown.dataset || textOf(shown) !== first);

  function store() {
    clearTimeout(timer);
    timer = 0;
    const key = shown?.dataset.draft;
    if (!key) return;
    const text = textOf(shown);
    if (text === first && !("dirty" in shown.dataset) || secret.test(text)) storage.remove(key);
    else storage.write(key, valuesOf(shown));
  }

  function fill(values) {
    for (const [name, value] of Object.entries(values)) {
      if (name !== "type") shown.elements[name].value = value;
      else for (const box of shown.querySelectorAll("[name=type]")) box.checked = box.value === value;
    }
    count();
  }

  function count() {
    for (const counter of document.querySelectorAll("[data-count-of]")) {
      const length = [...document.getElementById(counter.dataset.countOf).value].length;
      counter.textContent = `${length} of ${counter.dataset.limit}`;
      counter.toggleAttribute("data-over", length > Number(counter.dataset.limit));
    }
  }

  // Prepares a form that has appeared, and forgets the draft of one that was saved. A page with an
  // error, or for a sign-in, is a refusal.
  function prepare() {
    const now = form();
    const isRefused = document.querySelector("#main > :is(.failure, .sign-in)");
    if (saving && !isRefused && (!now || !now.dataset.draft)) storage.remove(saving);
    if (!now || !now.dataset.draft || "dirty" in now.dataset) { // the answer has come
      saving = "";
      sessionStorage.removeItem("memoir-saving");
    }
    if (now === shown && now?.dataset.prepared) return;
    shown = now;
    leaves = false;
    if (!now) return;
    now.dataset.prepared = "true";
    first = textOf(now);
    count();
    const draft = now.dataset.draft && !("dirty" in now.dataset) && storage.read(now.dataset.draft);
    if (!draft || JSON.stringify(draft.values) === first) return;
    const at = new Date(draft.at);
    const isToday = at.toDateString() === new Date().toDateString();
    const time = now.querySelector("[data-draft-time]");
    time.dateTime = at.toISOString();
    time.textContent = at.toLocaleString("en-GB", isToday ? { timeStyle: "short" } : { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
    now.querySelector("[data-draft-offer]").hidden = false;
  }

  // Asks whether to leave, and calls go if so.
  function ask(go) {
    store();
    dialog().returnValue = "";
    dialog().onclose = () => {
      if (dialog()?.returnValue !== "leave") return shown?.querySelector("#body").focus();
      leaves = true;
      go();
    };
    dialog().showModal();
  }

  document.addEventListener("input", (event) => {
    if (!shown?.contains(event.target)) return;
    count();
    clearTimeout(timer);
    timer = setTimeout(store, pause);
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-draft-restore]")) {
      fill(storage.read(shown.dataset.draft)?.values ?? {});
      event.target.closest("[data-draft-offer]").hidden = true;
    } else if (event.target.closest("[data-draft-discard]")) {
      storage.remove(shown.dataset.draft);
      event.target.closest("[data-draft-offer]").hidden = true;
    }
    const link = event.target.closest("a[href]");
    if (!link || link.target || event.metaKey || event.ctrlKey || event.shiftKey || link.hash && link.pathname === location.pathname || !isDirty()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    ask(() => link.click());
  }, true);

  document.addEventListener("memoir:leave", (event) => {
    if (!isDirty()) return;
    event.preventDefault();
    ask(event.detail);
  });

  addEventListener("beforeunload", (event) => {
    if (saving || !isDirty() || !navigator.userActivation.hasBeenActive) return;
    store();
    event.preventDefault();
  });

  document.addEventListener("submit", (event) => {
    if (event.target !== shown || event.submitter?.hasAttribute("formaction")) return;
    store();
    leaves = !shown.hasAttribute("hx-post");
    saving = shown.dataset.draft || "";
    if (saving) sessionStorage.setItem("memoir-saving", saving);
  }, true);

  document.addEventListener("keydown", (event) => {
    if (!shown?.isConnected || dialog()?.open) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      shown.requestSubmit(shown.querySelector("[data-save]"));
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      shown.querySelector("[data-leave]").click();
    }
  });

  document.addEventListener("htmx:after:swap", prepare);
  document.addEventListener("htmx:error", () => { saving = ""; });
  saving = sessionStorage.getItem("memoir-saving") || "";
  storage.clean();
  prepare();
})();
