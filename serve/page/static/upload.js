// Files are dropped on the form, and it says how much of them has been sent and read. Without this
// script the form is sent, and the page loaded again, by hand.
const form = document.querySelector("[data-upload]");
const told = form?.querySelector("[data-told]");
const bar = form?.querySelector("progress");

// size writes a number of bytes as the page does.
const size = (n) => (n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / (1 << 20)).toFixed(1)} MiB`);

function send() {
  const files = [...form.elements.file.files];
  const all = files.reduce((sum, file) => sum + file.size, 0);
  if (all > Number(form.dataset.most)) {
    told.textContent = `These files have ${size(all)}. The server takes ${size(Number(form.dataset.most))} at once: send them in parts.`;
    return;
  }
  const data = new FormData(form);
  const button = form.querySelector("button");
  const request = new XMLHttpRequest();
  const failed = (why) => {
    told.textContent = why;
    bar.hidden = true;
    button.disabled = false;
  };
  request.open("POST", form.action);
  request.upload.onprogress = (ev) => {
    bar.hidden = false;
    bar.value = ev.loaded / (ev.total || 1);
    told.textContent = `${Math.round((100 * ev.loaded) / (ev.total || 1))} % sent`;
  };
  request.onload = () => {
    if (request.status < 400) {
      location.assign(request.responseURL.split("#")[0]);
      return;
    }
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    failed(page.querySelector("main")?.textContent.trim() || request.statusText);
  };
  request.onerror = () => failed("The files were not sent: the server does not answer, or they are too long.");
  button.disabled = true;
  told.textContent = "Sending …";
  request.send(data);
}

// inside returns the files of dropped folders, and of those in them, without hidden ones. Those with the
// name of another have the names of their folders before it.
async function inside(entries) {
  const all = new DataTransfer();
  const names = new Set();
  const get = (way) => new Promise(way);
  const walk = async (entry) => {
    if (entry.name.startsWith(".")) return;
    if (entry.isDirectory) {
      const reader = entry.createReader();
      for (let list; (list = await get((done, failed) => reader.readEntries(done, failed))).length; ) for (const one of list) await walk(one);
      return;
    }
    const file = await get((done, failed) => entry.file(done, failed));
    const name = names.has(file.name) ? entry.fullPath.slice(1).replaceAll("/", " - ") : file.name;
    names.add(name);
    all.items.add(new File([file], name, { type: file.type }));
  };
  for (const entry of entries) await walk(entry);
  return all.files;
}

if (form) {
  for (const words of form.querySelectorAll("[data-scripted]")) words.hidden = false;
  form.addEventListener("submit", (ev) => {
    ev.preventDefault();
    send();
  });
  // A file that misses the form is not opened in the place of the page.
  for (const name of ["dragover", "drop"]) addEventListener(name, (ev) => ev.dataTransfer?.types.includes("Files") && ev.preventDefault());
  form.addEventListener("dragover", () => form.classList.add("over"));
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
  form.addEventListener("drop", async (ev) => {
    let files = ev.dataTransfer.files;
    const entries = [...ev.dataTransfer.items].map((item) => item.webkitGetAsEntry()); // they are there until the first await
    if (!files.length) return;
    try {
      if (entries.some((entry) => entry?.isDirectory)) files = await inside(entries.filter(Boolean));
    } catch (err) {
      told.textContent = `The folder cannot be read: ${err.message}`;
      return;
    }
    if (!files.length) told.textContent = "There are no files in it.";
    form.elements.file.files = files;
    if (files.length && form.reportValidity()) send();
  });
}

// watch shows how far the reading is, and at its end the page as it is then.
async function watch(note) {
  const line = note.querySelector("[data-told]");
  const read = note.querySelector("progress");
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 2000)) {
    await new Promise((done) => setTimeout(done, wait));
    if (document.hidden) continue;
    const answer = await fetch(note.dataset.reading, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(answer.statusText);
    const at = await answer.json();
    if (!at.busy) break;
    line.textContent = `Reading the files${at.phase && `: ${at.phase}`}${at.total ? `, ${at.done} of ${at.total}` : ""}`;
    if (at.total) {
      read.max = at.total;
      read.value = at.done;
    }
  }
  location.reload();
}

const note = document.querySelector("[data-reading]");
if (note) watch(note).catch(() => (note.querySelector("[data-told]").textContent = "The server does not answer. Load the page again."));
