// Changes the theme without a request. Without this script the form sets the same cookie.
(() => {
  "use strict";

  const year = 365 * 24 * 60 * 60; // in seconds

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id !== "theme") return;
    event.preventDefault();
    const theme = event.submitter.value;
    const hadFocus = document.activeElement === event.submitter;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    document.querySelector('meta[name="color-scheme"]').content = theme || "light dark";
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `memoir_theme=${theme}; path=/; max-age=${theme ? year : 0}; samesite=lax${secure}`;
    // The stylesheet now shows another button.
    if (hadFocus) form.querySelector(`[data-at="${theme}"]`).focus();
  });
})();
