// Undoes the last actions of this tab, the newest first, with the key u. Each message with an undo adds
// the address of its form and, after a space, the form's ETag. Without this script, the message and the
// Timeline offer it.
(() => {
  "use strict";

  const key = "memoir-undo";
  const depth = 50; // arbitrary

  const notices = () => document.getElementById("notices");
  const here = () => location.pathname + location.search;
  const shown = () => notices().querySelector('[data-action="undo"]');
  const undone = new WeakSet();

  const stack = {
    all: () => JSON.parse(sessionStorage.getItem(key) ?? "[]").filter((undo) => undo[0] === "/"),
    set: (all) => sessionStorage.setItem(key, JSON.stringify(all.slice(-depth))),
  };

  const undoOf = (form) => [form.getAttribute("action"), form.elements.etag?.value ?? ""].join(" ").trim();

  const note = () => {
    const form = shown()?.closest("form");
    if (!form || undone.has(form)) return;
    const undo = undoOf(form);
    const all = stack.all();
    if (all.at(-1) !== undo) stack.set([...all, undo]);
  };

  document.addEventListener("submit", (event) => {
    const undo = undoOf(event.target);
    undone.add(event.target);
    stack.set(stack.all().filter((each) => each !== undo));
  }, true);

  document.addEventListener("memoir:undo", () => {
    const button = shown();
    if (button) return button.click();
    const last = stack.all().at(-1);
    if (!last) return;
    const form = document.createElement("form");
    const [action, ...etag] = last.split(" ");
    form.method = "post";
    form.setAttribute("action", action);
    for (const [name, value] of Object.entries({ back: here(), etag: etag.join(" ") })) {
      const field = document.createElement("input");
      [field.type, field.name, field.value] = ["hidden", name, value];
      form.append(field);
    }
    const attributes = {
      "hx-post": action, "hx-target": "#main", "hx-select": "#main", "hx-swap": "outerMorph", "hx-sync": "#main:queue all",
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
