// The timeline: the slider shows its day while it moves, and new events wait while the list is
// scrolled. Without this script the slider has a button, and the page shows the state of its last
// load.
(() => {
  "use strict";

  const day = 24 * 60 * 60 * 1000;
  const byId = (id) => document.getElementById(id);

  const show = (slider) => {
    const [value, min, max] = [slider.value, slider.min, slider.max].map(Number);
    const x = (1000 * (value - min)) / (max - min);
    const text = new Date(value * day).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
    slider.setAttribute("aria-valuetext", text);
    byId("day-shown").textContent = value === max ? "" : text;
    byId("day-mark").setAttribute("d", `M${x} 0V178`);
    byId("day-after").setAttribute("x", x);
    byId("day-after").setAttribute("width", 1000 - x);
  };

  document.addEventListener("input", (event) => {
    if (event.target.id === "day") show(event.target);
  });

  document.addEventListener("keydown", (event) => {
    const slider = event.target;
    const months = { PageUp: 1, PageDown: -1 }[event.key];
    if (slider.id !== "day" || !months) return;
    event.preventDefault();
    const date = new Date(slider.value * day);
    date.setUTCMonth(date.getUTCMonth() + months);
    slider.value = Math.round(date / day);
    show(slider);
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  });

  document.addEventListener("htmx:before:swap", (event) => {
    const { refreshOf, text } = event.detail.ctx;
    const button = byId("new-events");
    if (!refreshOf || event.defaultPrevented || !button || byId("events").getBoundingClientRect().top >= 0) return;
    const rows = new DOMParser().parseFromString(text, "text/html").querySelectorAll("#events .event");
    const count = [...rows].filter((row) => !byId(row.id)).length;
    if (!count) return;
    event.preventDefault();
    button.textContent = `${count} new · Show`;
    button.hidden = false;
  });

  document.addEventListener("click", async (event) => {
    if (event.target.id !== "new-events") return;
    await htmx.ajax("GET", location.href, { source: byId("main"), target: "#main", select: "#main", swap: "outerMorph" });
    byId("timeline").scrollIntoView({ block: "start" });
  });
})();
