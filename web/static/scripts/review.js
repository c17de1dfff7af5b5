// The keys of the review. A key presses the button or link with the same data-key in the open card;
// j, k and the arrows open the next and previous item. No key is Enter, which decides nothing. After
// a decision the focus moves to the heading of the next card.
//
//   data-key         on a button, link or summary of a card: its key
//   data-item        on the link of a row
//   data-decides     on a form: its answer opens the next item
//   data-hides       on the link that hides a shown secret, which happens after 30 s
//   data-copy-text, data-copy-picture  on a link to a text or an SVG: a click copies it
(() => {
  "use strict";

  const hideAfter = 30_000; // ms
  const main = () => document.getElementById("main");
  const open = () => main().querySelector("[data-card]")?.dataset.card || "";
  const links = () => [...main().querySelectorAll("a[data-item]")];
  const boxes = () => [...main().querySelectorAll('.triage-row input[type="checkbox"]')];
  const current = () => main().querySelector('a[data-item][aria-current="true"]');
  const isTyped = (element) => element.matches('textarea, select, input:not([type="checkbox"])') || element.isContentEditable;

  const move = (step) => {
    const all = links();
    const to = all[all.indexOf(current()) + step] || main().querySelector(step > 0 ? '.triage-more[rel="next"]' : ".triage-more:not([rel])");
    to?.click();
  };

  let anchor = null; // the box that was changed last
  const pick = (isRange) => {
    const box = current()?.closest(".triage-row").querySelector('input[type="checkbox"]');
    if (!box) return;
    const all = boxes();
    const [from, to] = [all.indexOf(anchor), all.indexOf(box)].sort((a, b) => a - b);
    if (isRange && from >= 0) all.slice(from, to + 1).forEach((each) => { each.checked = true; });
    else box.checked = !box.checked;
    anchor = box;
  };

  // The tab's own undo comes first, so that an action on another page is taken back too.
  const hasUndo = () => document.querySelector('#notices [data-action="undo"]') || (sessionStorage.getItem("memoir-undo") ?? "[]") !== "[]";

  const press = (key) => {
    if (key === "u" && hasUndo()) return false;
    const target = [...main().querySelectorAll("[data-key]")].find((element) => element.dataset.key === key && element.checkVisibility());
    target?.click();
    if (target?.matches(".confirm[open] > summary")) target.nextElementSibling.querySelector("button").focus();
    return Boolean(target);
  };

  const does = {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    x: () => pick(false),
    X: () => pick(true),
    Escape: () => main().querySelector("#picked")?.reset(),
  };

  // Before keys.js, whose keys mean the same for memories.
  document.addEventListener("keydown", (event) => {
    if (!main().querySelector(".triage, .triage-head") || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (localStorage.getItem("single-keys") === "off" || isTyped(event.target) || document.querySelector("dialog[open]")) return;
    const { key } = event;
    const isArrow = key.startsWith("Arrow");
    if (isArrow && event.target.closest(".triage-pane, summary, [role=menu]")) return;
    if (event.repeat && !isArrow && key !== "j" && key !== "k") return;
    if (leader) {
      leader = false;
      return;
    }
    if (key === "g") leader = true;
    if (key === "Escape" && !boxes().some((box) => box.checked)) return;
    const act = Object.hasOwn(does, key) && main().querySelector(".triage") ? () => { does[key](); return true; } : () => key.length === 1 && press(key);
    if (act()) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, true);
  let leader = false; // g was pressed: the next letter names a place

  let decided = false;
  let shown = open();
  document.addEventListener("submit", (event) => {
    const path = event.target.getAttribute("action");
    decided = event.target.matches("[data-decides]") || /^\/undo\/review-/.test(path);
  }, true);

  let hiding = 0;
  const hideLater = () => {
    clearTimeout(hiding);
    const link = main().querySelector("a[data-hides]");
    if (link) hiding = setTimeout(() => link.isConnected && link.click(), hideAfter);
  };

  // A page that left the open row out of sight shows it.
  const show = () => current()?.closest(".triage-row").scrollIntoView({ block: "nearest" });

  document.addEventListener("htmx:after:swap", () => {
    const now = open();
    hideLater();
    if (now !== shown || decided) {
      main().querySelector(".card-scroll")?.scrollTo(0, 0);
      show();
    }
    if (now !== shown) main().querySelectorAll(".decide details[open]").forEach((each) => { each.open = false; });
    if (decided) (document.getElementById("card-title") || main()).focus({ preventScroll: true });
    decided = false;
    shown = now;
  });

  const copied = (link) => {
    const label = link.lastChild;
    const before = label.textContent;
    label.textContent = " Copied";
    setTimeout(() => { label.textContent = before; }, 2000);
  };

  const textOf = async (path) => (await fetch(path)).text();

  const pictureOf = async (path) => {
    const image = new Image();
    image.src = path;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.naturalWidth;
    canvas.height = 2 * image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-copy-text], [data-copy-picture]");
    if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const item = link.hasAttribute("data-copy-text")
      ? { "text/plain": textOf(link.href).then((text) => new Blob([text], { type: "text/plain" })) }
      : { "image/png": pictureOf(link.href) };
    navigator.clipboard.write([new ClipboardItem(item)]).then(() => copied(link), () => location.assign(link.href));
  });

  hideLater();
  show();
})();
