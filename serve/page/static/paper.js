// Draws the pages of a PDF as they look behind the boxes of the marks, which the server has laid out.
// PDF.js is loaded when a page comes near the window. The text stays a press of a button away.
const library = "/ui/static/pdf.min.mjs";
const files = new Map(); // what is read, by its address
let loading;

function file(address) {
  loading ??= import(library).then((pdfjs) => {
    pdfjs.GlobalWorkerOptions.workerSrc = "/ui/static/pdf.worker.min.mjs";
    return pdfjs;
  });
  if (!files.has(address)) {
    files.set(address, loading.then((pdfjs) => pdfjs.getDocument({
      url: address, wasmUrl: "/ui/static/", isEvalSupported: false, enableXfa: false, verbosity: 0,
      disableAutoFetch: true, disableStream: true, rangeChunkSize: 1 << 20,
    }).promise));
  }
  return files.get(address);
}

// draw puts the page of a drawing behind it, in the pixels of the device.
async function draw(svg) {
  const wide = Math.round(svg.clientWidth * devicePixelRatio);
  const had = svg.previousElementSibling;
  if (!wide || Number(had?.dataset.wide) === wide) return;
  const canvas = document.createElement("canvas");
  canvas.setAttribute("aria-hidden", "true");
  const page = await (await file(svg.dataset.paper)).getPage(Number(svg.dataset.page));
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: Math.min(wide / width, Math.sqrt(2 ** 24 / width / height)) });
  canvas.dataset.wide = wide;
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  await page.render({ canvas, viewport }).promise;
  had?.remove();
  svg.before(canvas);
}

// Pages are drawn near the window, one after the other, that of the mark first, and are forgotten far
// from it.
const near = new IntersectionObserver((all) => {
  for (const { target, isIntersecting } of all) if (!isIntersecting && target.previousElementSibling) target.previousElementSibling.remove();
  const come = all.filter((one) => one.isIntersecting).map((one) => one.target);
  come.sort((a, b) => Number(b.querySelector(".here") !== null) - Number(a.querySelector(".here") !== null)).forEach(redraw);
}, { rootMargin: "50%" });
const sized = new ResizeObserver((all) => all.forEach(({ target }) => target.previousElementSibling && redraw(target)));

let drawing = Promise.resolve();
function redraw(svg) {
  drawing = drawing.then(() => draw(svg)).catch((err) => fail(svg.closest(".sheet"), err));
}

function fail(sheet, err) {
  if (sheet.dataset.view === "failed") return;
  const note = document.createElement("p");
  note.className = "note warn";
  note.setAttribute("role", "status");
  note.textContent = `The pages cannot be shown as they look (${err.message}). This is their text.`;
  sheet.querySelector(".views").replaceWith(note);
  sheet.dataset.view = "failed";
  lead();
}

function view(sheet, name) {
  sheet.dataset.view = name;
  for (const button of sheet.querySelectorAll(".views button")) button.setAttribute("aria-pressed", String(button.value === name));
}

// lead goes to the mark of the address on the page as it looks, where it has a box there.
function lead() {
  const mark = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const sheet = mark?.closest(".sheet[data-view]");
  for (const box of document.querySelectorAll(".paper .here")) box.classList.remove("here");
  if (!sheet || mark === sheet) return;
  const boxes = [...sheet.querySelectorAll(`[data-for~="${CSS.escape(mark.id)}"]`)].map((box) => box.closest("a"));
  if (sheet.dataset.view === "page" && !boxes.length) view(sheet, "text");
  if (sheet.dataset.view !== "page") {
    mark.scrollIntoView({ block: "center" });
    return;
  }
  for (const box of boxes) box.classList.add("here");
  redraw(boxes[0].ownerSVGElement);
  boxes[0].focus({ preventScroll: true });
  boxes[0].scrollIntoView({ block: "center", inline: "nearest" });
}

// prepare offers both views of each document that has pages.
function prepare() {
  for (const sheet of document.querySelectorAll(".sheet:not([data-view]):has([data-paper])")) {
    const bar = document.createElement("p");
    bar.className = "views";
    for (const [name, label] of [["page", "Page"], ["text", "Text"]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.value = name;
      button.textContent = label;
      button.addEventListener("click", () => { view(sheet, name); lead(); button.focus({ preventScroll: true }); });
      bar.append(button);
    }
    sheet.querySelector(".sheet-head").after(bar);
    view(sheet, "page");
    for (const svg of sheet.querySelectorAll("[data-paper]")) {
      near.observe(svg);
      sized.observe(svg);
    }
  }
}

prepare();
lead();
addEventListener("hashchange", lead);
document.addEventListener("click", (ev) => { // on the number of the mark that the address names already
  const to = ev.target.closest?.("a[href^='#']");
  if (to && to.hash === location.hash) setTimeout(lead);
});
new MutationObserver(() => { prepare(); lead(); }).observe(document.querySelector("main").parentElement, { childList: true }); // at the end of a run
