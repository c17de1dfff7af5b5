// The list of the Memory tab. It centres the row of the open memory, keeps new rows from moving what
// the reader aims at, and closes menus. Without this script the list shows the state of its last load.
//
//   data-arrived  on the list and the pane: the open memory is the first one, not that of the address
//   data-first    on a group's rows: the place of the first one in the group
//   data-held     on a group's rows: how many rows wait
//   data-menu     on a details element: a menu
(() => {
  "use strict";

  const list = () => document.getElementById("list");
  const here = () => location.pathname + location.search;
  const current = () => list()?.querySelector("[aria-current]")?.closest(".row");
  const isWide = () => list()?.checkVisibility() && document.getElementById("pane")?.checkVisibility();

  // Scrolls the row of the open memory to the middle of the list.
  const centre = () => {
    const row = current();
    if (!row || !isWide()) return;
    const box = list().getBoundingClientRect();
    const at = row.getBoundingClientRect();
    list().scrollTop += at.top + at.height / 2 - box.top - box.height / 2;
  };

  // A wide screen shows the first memory, so its address is the page's: a refresh keeps it open.
  const settle = () => {
    const mailbox = document.querySelector(".mailbox[data-arrived]");
    const link = current()?.querySelector("a[data-open]");
    if (!mailbox || !link || !isWide()) return;
    mailbox.removeAttribute("data-arrived");
    mailbox.setAttribute("data-open", "");
    history.replaceState(history.state, "", link.getAttribute("href"));
  };

  // The places of the rows on this page, so that the server returns as many.
  const shown = () => [...document.querySelectorAll("#list .rows[data-first]")].map((rows) => {
    const first = Number(rows.dataset.first);
    const last = first + rows.childElementCount + Number(rows.dataset.held || 0) - 1;
    return rows.id.replace("rows-", "") + "=" + first + "-" + last;
  }).join(", ");

  document.addEventListener("htmx:before:request", (event) => {
    const { request, refreshOf } = event.detail.ctx;
    if (list() && (refreshOf || request.method === "POST")) request.headers["Memoir-Rows"] = shown();
  });

  // New rows wait while the list is scrolled, or has the focus or the pointer.
  let releasing = false;
  const isAimedAt = () => list().scrollTop > 0 || scrollY > 0 || list().matches(":hover, :focus-within");

  const hold = (fragment) => {
    const rows = [...fragment.querySelectorAll("#list li[data-row]")].filter((row) => !document.getElementById(row.id));
    if (!rows.length) return;
    if (releasing || !isAimedAt()) {
      for (const row of rows) row.setAttribute("data-fresh", "");
      return;
    }
    for (const row of rows) {
      const group = row.closest(".rows");
      group.dataset.held = Number(group.dataset.held || 0) + 1;
      row.remove();
      if (!group.childElementCount && !document.getElementById(group.id)) group.closest(".group")?.remove();
    }
    const button = document.createElement("button");
    button.id = "held";
    button.type = "button";
    button.className = "held";
    button.textContent = `${rows.length} new · Show`;
    fragment.querySelector("#list").prepend(button);
  };

  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx, tasks } = event.detail;
    if (!list() || !ctx.refreshOf) return;
    for (const { fragment } of tasks) if (fragment.querySelector("#list")) hold(fragment);
    releasing = false;
  });

  document.addEventListener("click", async (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target) || event.target.closest("a")) menu.open = false;
    }
    if (event.target.id !== "held") return;
    releasing = true;
    const main = document.getElementById("main");
    await htmx.ajax("GET", here(), { source: main, target: "#main", select: "#main", swap: "outerMorph", refreshOf: here() });
    list().querySelector("[data-fresh]")?.scrollIntoView({ block: "nearest" });
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.("details[data-menu][open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
    event.preventDefault();
  }, true);

  // A memory that was opened from elsewhere may be on another page of the list.
  document.addEventListener("htmx:after:swap", (event) => {
    if (!list()) return;
    settle();
    const open = document.querySelector("#pane article")?.id.replace("open-", "memory-");
    if (event.detail.ctx.refreshOf || event.detail.ctx.around || !open || document.getElementById(open)) return;
    if (document.getElementById("q")?.value) return;
    // Its source is outside of the elements whose answers replace the message.
    const source = document.getElementById("main");
    htmx.ajax("GET", here(), { source, target: "#list", select: "#list", swap: "outerMorph", around: true }).then(centre);
  });

  settle();
  centre();
})();
