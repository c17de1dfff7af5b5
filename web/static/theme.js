// Changes the theme without loading the page anew. Without this script the form does it by itself.
(() => {
  "use strict";

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id !== "theme") return;
    event.preventDefault();
    const theme = event.submitter.value;
    const hadFocus = document.activeElement === event.submitter;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    // The stylesheet now shows another of the buttons.
    if (hadFocus) form.querySelector(`[data-at="${theme}"]`).focus();
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    fetch(form.action, { method: "POST", body: fields, redirect: "manual" }).catch(() => form.submit());
  });
})();
