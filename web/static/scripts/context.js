// Copies the picture that a link with data-picture leads to, as PNG. Without this script the link opens
// the picture. Moves the focus to the phrase that a control with data-find opens.
(() => {
  "use strict";

  const density = 2; // pixels of the copy per unit of the picture

  const draw = async (href) => {
    const image = new Image();
    image.src = href;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * density;
    canvas.height = image.naturalHeight * density;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => { canvas.toBlob(done, "image/png"); });
  };

  let finding = false;
  document.addEventListener("click", (event) => { finding = Boolean(event.target.closest("[data-find]")); });
  document.addEventListener("htmx:after:swap", () => {
    if (!finding) return;
    finding = false;
    document.getElementById("find-phrase")?.focus();
  });

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-picture]");
    if (!link || !navigator.clipboard?.write || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const words = link.querySelector("span");
    try {
      // Safari takes a promise, so that the copy belongs to the click.
      await navigator.clipboard.write([new ClipboardItem({ "image/png": draw(link.href) })]);
      const label = words.textContent;
      words.textContent = "Copied";
      setTimeout(() => { words.textContent = label; }, 2000);
    } catch {
      location.assign(link.href);
    }
  });
})();
