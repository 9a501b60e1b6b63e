// The page of an answer inside an assistant. The assistant sends it the output of a tool, in
// messages of the extension io.modelcontextprotocol/ui, and the page shows it as text.
const tones = {
  answered: "good", supported: "good", verified: "good", grounded: "good", "in the document": "good",
  unsupported: "bad", rejected: "bad", "not in the document": "bad",
};

// element makes an element with a class, and texts or elements in it. A text cannot change
// the direction of the texts next to it.
function element(name, className, ...children) {
  const e = document.createElement(name);
  if (className) e.className = className;
  for (const c of children) {
    if (typeof c !== "string") e.append(c);
    else if (c) e.appendChild(document.createElement("bdi")).textContent = c;
  }
  return e;
}

const badge = (words) => element("span", "badge " + (tones[words] ?? "warn"), words.replaceAll("_", " "));

function quote(q) {
  const where = element("small", "muted", `${q.doc}, bytes ${q.start}–${q.end}`);
  const stand = q.stand === "against" ? element("span", "badge bad", "against") : "";
  return element("li", "", element("div", "excerpt", element("mark", "", q.text)), stand, " ", where, q.why ? element("p", "muted", q.why) : "");
}

function finding(f) {
  const line = element("p", "", f.text, " ", f.verdict ? badge(f.verdict) : "");
  const why = (f.why ?? []).map((w) => element("p", "muted", w));
  const quotes = f.quotes?.length ? element("ul", "quotes", ...f.quotes.map(quote)) : "";
  return element("li", "edge-" + (f.verdict ? tones[f.verdict] ?? "warn" : "none"), element("small", "muted", f.about), line, ...why, quotes);
}

const section = (title, ...children) => element("section", "", element("h2", "", title), ...children);

// show puts an answer on the page.
function show(a) {
  const parts = [element("p", "", badge(a.status ?? "failed"), " ", a.words ?? "")];
  if (a.answer) parts.push(section("Answer", element("pre", "answer", a.answer)));
  if (a.fields !== undefined) parts.push(section("Fields", element("pre", "answer", JSON.stringify(a.fields, null, 2))));
  if (a.findings?.length) parts.push(section("Evidence", element("ul", "claims", ...a.findings.map(finding))));
  if (a.nearest) parts.push(section("Nearest passage", element("ul", "quotes", quote(a.nearest))));
  if (a.sources?.length) {
    parts.push(section("Read", element("ul", "", ...a.sources.map((s) => element("li", "", [s.mark, s.where].filter(Boolean).join(" "))))));
  }
  if (a.notes?.length) parts.push(element("ul", "note warn", ...a.notes.map((n) => element("li", "", n))));
  if (a.left_out) parts.push(element("p", "muted", `${a.left_out} parts are left out here: the assistant asked for a short output.`));
  const foot = [...(a.measures ?? []), a.corpus && "corpus " + a.corpus, a.model && "model " + a.model].filter(Boolean);
  parts.push(element("p", "muted", foot.join(" · ")));
  document.getElementById("evidence").replaceChildren(...parts);
}

// size tells the assistant the size of the page, now and after each change.
function size() {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
}

const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

window.addEventListener("message", (event) => {
  if (event.source !== window.parent || event.data?.jsonrpc !== "2.0") return;
  const { id, method, params, result } = event.data;
  if (id === 1 && result) {
    send({ method: "ui/notifications/initialized", params: {} });
    new ResizeObserver(size).observe(document.documentElement);
  } else if (method === "ui/notifications/tool-result") {
    const text = params?.content?.find((c) => c.type === "text")?.text ?? "";
    show(params?.structuredContent ?? { status: "failed", words: text });
  } else if (method === "ui/notifications/tool-cancelled") {
    show({ status: "cancelled" });
  } else if (id !== undefined && (method === "ping" || method === "ui/resource-teardown")) {
    send({ id, result: {} });
  }
});

send({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "assay-evidence", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } } });
