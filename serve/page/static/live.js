// What a run does, put on its page as it happens. The page itself has all that was there when
// it was loaded; at the end of the run it is loaded again in place.
const live = document.querySelector("[data-live]");
const status = live.querySelector("[data-live-status]");
const steps = live.querySelector("[data-live-steps]");
const earlier = live.querySelector("[data-live-earlier]");
const draft = live.querySelector("[data-live-draft]"); // what a model has written so far
const most = Number(steps.dataset.most);
const signs = { running: "▶", done: "✓", error: "✕", asked: "?" }; // for readers who see no colour

let after = Number(live.dataset.after);
let source = null;
let wait = 500; // milliseconds before another try
let waiting = []; // events that are not on the page yet

// put shows the events that wait, all at once: a burst costs one layout.
function put() {
  const list = waiting;
  waiting = [];
  for (const ev of list.slice(-most)) {
    const line = document.createElement("li");
    if (ev.node) {
      const name = document.createElement("strong");
      name.dir = "auto";
      name.textContent = ev.node;
      line.append(name, " ");
    }
    const text = document.createElement("span");
    text.dir = "auto";
    text.textContent = ev.text;
    line.append(text);
    line.dataset.at = ev.at;
    steps.append(line);
  }
  while (steps.childElementCount > most) {
    steps.firstElementChild.remove();
    earlier.hidden = false;
  }
  const last = new Map(list.filter((ev) => ev.class).map((ev) => [ev.node, ev.class]));
  for (const [node, name] of last) {
    for (const box of document.querySelectorAll(`.drawing [data-node="${CSS.escape(node)}"]`)) {
      box.classList.remove("never", ...Object.keys(signs));
      box.classList.add(name);
      const label = box.querySelector("text");
      label.textContent = `${label.textContent.split(" · ")[0]} · ${signs[name]}`;
    }
  }
  const told = list.at(-1);
  if (told) status.textContent = told.node ? `${told.node}: ${told.text}` : told.text;
}

function take(ev) {
  const said = JSON.parse(ev.data);
  after = Math.max(after, said.seq);
  wait = 500;
  if (said.draft !== undefined) {
    draft.textContent = said.draft && draft.textContent + said.draft;
    return;
  }
  if (waiting.push(said) === 1) requestAnimationFrame(put);
}

// finish shows the page as it is at the end of the run. The focus stays where it is if that is
// still there.
async function finish() {
  stop();
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const at = document.activeElement?.id;
  const typed = document.querySelector("#question")?.value;
  for (const part of ["header", "main"]) document.querySelector(part).replaceWith(page.querySelector(part));
  if (at) document.getElementById(at)?.focus({ preventScroll: true });
  if (typed) document.querySelector("#question").value = typed;
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  const ended = document.querySelector("header .badge");
  if (ended) {
    ended.setAttribute("role", "status");
    ended.setAttribute("aria-live", "polite");
  }
}

function stop() {
  source?.close();
  source = null;
}

function start() {
  if (source || document.hidden) return;
  source = new EventSource(`${live.dataset.live}?after=${after}`);
  source.onmessage = take;
  source.addEventListener("end", () => finish().catch(() => location.reload()));
  source.addEventListener("problem", (ev) => {
    status.textContent = JSON.parse(ev.data).text;
    stop();
  });
  source.onerror = () => {
    if (source?.readyState !== EventSource.CLOSED) return; // it tries again by itself
    stop();
    status.textContent = "The server does not answer. Trying again …";
    setTimeout(start, (wait = Math.min(wait * 2, 10000)));
  };
}

// A page that nobody sees reads nothing: what happened meanwhile comes when it is seen again.
document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
addEventListener("pagehide", stop);
addEventListener("pageshow", start);
start();
