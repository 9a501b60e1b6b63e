// Keys for everything that Tab reaches, too: see /ui/keys.
const places = { r: "/ui/runs", a: "/ui/", t: "/ui/check", f: "/ui/extract", c: "/ui/corpora", m: "/ui/memory", e: "/ui/evals" };
let before = "";

const rows = () => [...document.querySelectorAll("[data-list] tbody tr, [data-list] > li")];
const focusable = "a[href], button:not(:disabled), summary";

// move puts the focus on the first link of the next row, or of the one before.
function move(by) {
  const all = rows().filter((row) => row.querySelector(focusable));
  if (!all.length) return;
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1);
  all[next].querySelector(focusable).focus();
}

// part is the link to the part of this page beside the one that is shown.
function part(by) {
  const all = [...document.querySelectorAll("header nav a")];
  return all[all.findIndex((a) => a.hasAttribute("aria-current")) + by];
}

// typing reports whether keys belong to what has the focus.
function typing(el) {
  return el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName) || el.closest("dialog[open]") !== null;
}

document.addEventListener("keydown", (ev) => {
  if (ev.defaultPrevented || ev.ctrlKey || ev.altKey || ev.metaKey || ev.isComposing || typing(ev.target)) return;
  const pair = before + ev.key;
  before = ev.key === "g" && pair !== "gg" ? "g" : "";
  const to = pair.length === 2 && pair[0] === "g" ? places[pair[1]] : undefined;
  const beside = { "[": -1, "]": 1 }[ev.key]; // parts of this page
  const page = { n: "next", p: "prev" }[ev.key]; // pages of a list
  const leads = beside ? part(beside) : page ? document.querySelector(`main a[rel="${page}"]`) : null;
  const search = document.querySelector("[data-search]");
  const inList = rows().some((row) => row.contains(document.activeElement));
  if (to) location.assign(to);
  else if (leads) leads.click();
  else if (ev.key === "j" || (ev.key === "ArrowDown" && inList)) move(1);
  else if (ev.key === "k" || (ev.key === "ArrowUp" && inList)) move(-1);
  else if (ev.key === "/" && search) search.focus();
  else if (ev.key === "?") location.assign("/ui/keys");
  else return;
  ev.preventDefault();
});

// A form that was sent is not sent again by a second click, until the page is shown again.
let sent = null;
document.addEventListener("submit", (ev) => {
  if (ev.defaultPrevented || ev.target.method !== "post") return;
  if (sent === ev.target) ev.preventDefault();
  sent = ev.target;
});
addEventListener("pageshow", () => (sent = null));
