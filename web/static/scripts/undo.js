// Undoes the last actions of this tab, the newest first, with the key u. Each message with an undo
// adds one. Without this script, the message and the Timeline offer it.
(() => {
  "use strict";

  const key = "memoir-undo";
  const depth = 50; // arbitrary

  const notices = () => document.getElementById("notices");
  const here = () => location.pathname + location.search;
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  const stack = {
    all: () => JSON.parse(sessionStorage.getItem(key) ?? "[]"),
    set: (all) => sessionStorage.setItem(key, JSON.stringify(all.slice(-depth))),
  };

  const entryOf = (form) => ({ path: form.getAttribute("action"), fields: [...new FormData(form)].filter(([name]) => name !== "back") });
  const formIn = (region) => region.querySelector('[data-action="undo"]')?.closest("form");

  const note = () => {
    const form = formIn(notices());
    if (!form) return;
    const all = stack.all();
    if (!same(all.at(-1), entryOf(form))) stack.set([...all, entryOf(form)]);
  };

  document.addEventListener("submit", (event) => {
    if (!event.target.closest("#notices") || formIn(event.target.parentElement) !== event.target) return;
    const all = stack.all();
    if (same(all.at(-1), entryOf(event.target))) stack.set(all.slice(0, -1));
  }, true);

  document.addEventListener("memoir:undo", () => {
    const shown = notices().querySelector('[data-action="undo"]');
    if (shown) return shown.click();
    const all = stack.all();
    const last = all.pop();
    if (!last) return;
    stack.set(all);
    const form = document.createElement("form");
    form.method = "post";
    form.action = last.path;
    for (const [name, value] of [...last.fields, ["back", here()]]) {
      const field = document.createElement("input");
      [field.type, field.name, field.value] = ["hidden", name, value];
      form.append(field);
    }
    const attributes = {
      "hx-post": last.path, "hx-target": "#main", "hx-select": "#main", "hx-swap": "outerMorph", "hx-sync": "#main:queue all",
      "hx-select-oob": "#notices:innerHTML, #side:outerMorph", "hx-replace-url": "true",
    };
    for (const [name, value] of Object.entries(attributes)) form.setAttribute(name, value);
    notices().replaceChildren(form);
    htmx.process(form);
    form.requestSubmit();
  });

  document.addEventListener("htmx:after:swap", note);
  note();
})();
