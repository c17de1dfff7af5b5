// Keeps an open page up to date. At an event of the server, the page requests itself and morphs its
// main region, so that focus, scroll position, opened details and input stay. Without this script
// every page works, but shows the state of its last load. focus.js keeps the focus.
(() => {
  "use strict";

  // All in milliseconds. A burst of events costs one request at once and one per gap. A slow page
  // waits longer, so that many open pages do not overload the server.
  const settling = 40;
  const gap = 500;
  const gapAfter = (took) => Math.max(gap, 3 * took);
  const patience = 2000; // how long a lost stream stays unmentioned
  const minute = 60000; // after which a time such as "4 min" is wrong
  const reopening = { first: 1000, last: 30000 };

  const main = () => document.getElementById("main");
  const here = () => location.pathname + location.search;

  document.documentElement.dataset.script = "";

  const refresh = {
    wanted: false,
    running: false,
    timer: 0,
    earliest: 0, // when the next may begin

    ask() {
      this.wanted = true;
      this.plan(Math.max(settling, this.earliest - performance.now()));
    },

    plan(delay) {
      if (this.timer || this.running || !this.wanted) return;
      this.timer = setTimeout(() => this.run(), delay);
    },

    async run() {
      this.timer = 0;
      if (document.hidden || !main().dataset.events) return;
      this.wanted = false;
      this.running = true;
      const startedAt = performance.now();
      try {
        await htmx.ajax("GET", here(), {
          source: main(), target: "#main", select: "#main", swap: "outerMorph", refreshOf: here(),
        });
      } finally {
        this.running = false;
        const endedAt = performance.now();
        this.earliest = startedAt + gapAfter(endedAt - startedAt);
        this.plan(Math.max(gap, this.earliest - endedAt));
      }
    },
  };

  const stream = {
    source: null,
    path: "",
    timer: 0,
    delay: reopening.first,

    follow() {
      const path = document.hidden ? "" : main().dataset.events || "";
      if (path === this.path) return;
      this.close();
      if (path) this.open(path);
    },

    open(path) {
      this.path = path;
      this.source = new EventSource(path);
      this.source.addEventListener("open", () => {
        this.delay = reopening.first;
        connection.restored();
        refresh.ask(); // what changed while nobody listened
      });
      this.source.addEventListener("changed", () => refresh.ask());
      this.source.addEventListener("error", () => {
        connection.lost();
        // A broken stream reconnects automatically; a refused one is closed.
        if (this.source?.readyState === EventSource.CLOSED) this.reopen(path);
      });
    },

    reopen(path) {
      this.close();
      this.path = path;
      this.timer = setTimeout(() => this.open(path), this.delay);
      this.delay = Math.min(this.delay * 2, reopening.last);
    },

    // A browser opens at most six connections per site, so a hidden page closes its stream.
    close() {
      clearTimeout(this.timer);
      this.source?.close();
      this.source = null;
      this.path = "";
    },
  };

  const connection = {
    timer: 0,
    mark: document.getElementById("connection"),
    lost() {
      this.timer ||= setTimeout(() => { this.mark.textContent = this.mark.dataset.words; }, patience);
    },
    restored() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.mark.textContent = "";
      answered();
    },
  };

  const notices = () => document.getElementById("notices");
  const unanswered = () => {
    notices().replaceChildren(document.getElementById("unanswered").content.cloneNode(true));
    notices().firstElementChild.dataset.unanswered = "";
  };
  const answered = () => notices().querySelector("[data-unanswered]")?.remove();

  document.addEventListener("visibilitychange", () => stream.follow());
  setInterval(() => refresh.ask(), minute);

  // A refresh that waited for an action may belong to a page that the action has left. A refusal's
  // page must stay readable.
  document.addEventListener("htmx:before:request", (event) => {
    const { refreshOf, request } = event.detail.ctx;
    if (refreshOf) request.headers["Memoir-Refresh"] = "true"; // the notice is for the answer of an action
    if (!refreshOf || refreshOf === here() && main().dataset.events) return;
    refresh.wanted = true;
    event.preventDefault();
  });

  document.addEventListener("htmx:before:swap", (event) => {
    const { refreshOf, response } = event.detail.ctx;
    if (!refreshOf) return;
    const outdated = refreshOf !== here();
    const gone = response.status === 404; // asked for again, it would be no less so
    if (!outdated && (response.raw.redirected || gone)) location.reload();
    if (outdated || !response.raw.ok || response.raw.redirected) event.preventDefault();
    if (outdated || !response.raw.ok && !gone) refresh.wanted = true;
  });

  document.addEventListener("htmx:after:swap", () => {
    stream.follow();
    answered();
  });

  // The address of a refused action is not a page to return to.
  document.addEventListener("htmx:before:history:update", (event) => {
    if (!event.detail.response.raw.ok) event.preventDefault();
  });

  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx?.refreshOf) {
      refresh.wanted = true;
      return;
    }
    unanswered();
  });
  document.addEventListener("memoir:unanswered", unanswered);

  stream.follow();
})();
