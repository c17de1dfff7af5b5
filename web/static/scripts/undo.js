// Undoes the last actions of this tab, the newest first, with the key u. Each message with an undo adds
// the id of its event. Without this script, the message and the Timeline offer it.
(() => {
  "use strict";

  const key = "memoir-undo";
  const depth = 50; // arbitrary
  const path = "/undo/";

  const notices = () => document.getElementById("notices");
  const here = () => location.pathname + location.search;
  const shown = () => notices().querySelector('[data-action="undo"]');
  const undone = new WeakSet();

  const stack = {
    all: () => JSON.parse(sessionStorage.getItem(key) ?? "[]").filter((id) => typeof id === "string"),
    set: (all) => sessionStorage.setItem(key, JSON.stringify(all.slice(-depth))),
  };

  // The event that a form undoes, or "".
  const eventOf = (form) => {
    const action = form?.getAttribute("action") ?? "";
    return action.startsWith(path) ? action.slice(path.length) : "";
  };

  const note = () => {
    const form = shown()?.closest("form");
    const event = eventOf(form);
    const all = stack.all();
    if (event && !undone.has(form) && all.at(-1) !== event) stack.set([...all, event]);
  };

  document.addEventListener("submit", (event) => {
    const id = eventOf(event.target);
    if (!id) return;
    undone.add(event.target);
    stack.set(stack.all().filter((each) => each !== id));
  }, true);

  document.addEventListener("memoir:undo", () => {
    const button = shown();
    if (button) return button.click();
    const last = stack.all().at(-1);
    if (!last) return;
    const form = document.createElement("form");
    form.method = "post";
    form.action = path + last;
    const field = document.createElement("input");
    [field.type, field.name, field.value] = ["hidden", "back", here()];
    form.append(field);
    const attributes = {
      "hx-post": path + last, "hx-target": "#main", "hx-select": "#main", "hx-swap": "outerMorph", "hx-sync": "#main:queue all",
      "hx-select-oob": "#notices:innerHTML, #side:outerMorph", "hx-replace-url": "true", "hx-config": '{"timeout":"600s"}',
    };
    for (const [name, value] of Object.entries(attributes)) form.setAttribute(name, value);
    notices().replaceChildren(form);
    htmx.process(form);
    form.requestSubmit();
  });

  document.addEventListener("htmx:after:swap", note);
  note();
})();
