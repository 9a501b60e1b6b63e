// Drives a server with the hooks of LangGraph's pages, each in a page of its own, and
// prints what they give to it: one JSON object by scenario.
//
//	node hooks.mjs http://127.0.0.1:2024
import { JSDOM } from "jsdom";
import { run, url } from "./common.mjs";

const { window } = new JSDOM("<!doctype html><body></body>", { url: "http://localhost/" });
globalThis.window = window;
globalThis.document = window.document;
globalThis.navigator ??= window.navigator;
const { createElement } = await import("react");
const { createRoot } = await import("react-dom/client");
const legacy = (await import("@langchain/langgraph-sdk/react")).useStream;
const current = (await import("@langchain/react")).useStream;

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

// seen is what a page sees of a hook.
const seen = (s) => ({
  isLoading: s.isLoading,
  values: { ...s.values, messages: undefined, __interrupt__: undefined },
  messages: s.messages.map((m) => ({ type: m.type ?? m.getType(), id: m.id, content: m.content })),
  interrupts: s.interrupts.map(({ id, value }) => ({ id, value })),
  error: s.error == null ? undefined : String(s.error.message ?? s.error),
});

// open mounts a page. Its log has each change of what matters most. Two of them have no
// order: a run can be seen to begin before its command is answered.
const open = (hook, options) => {
  const page = { log: { loading: [], interrupts: [], error: [] } };
  const note = (name, value) => {
    if (page.log[name].at(-1) !== value) page.log[name].push(value);
  };
  const all = { apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 }, onThreadId: (id) => (page.thread = id), ...options };
  const Page = () => {
    page.stream = hook(all);
    page.now = seen(page.stream);
    note("loading", page.now.isLoading);
    note("interrupts", page.now.interrupts.length);
    note("error", page.now.error != null);
    return null;
  };
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  root.render(createElement(Page));
  page.close = () => root.unmount();
  // until waits for what stays: a page is told in several steps.
  page.until = async (what, test) => {
    for (let i = 0, held = 0; i < 2400; i++) {
      await sleep(25);
      held = page.stream && test(page.now) ? held + 1 : 0;
      if (held === 4) return page.now;
    }
    throw new Error(`${what} does not come: ${JSON.stringify(page.now)}`);
  };
  page.idle = async () => {
    await sleep(150); // what follows an end
    return page.until("the end", (now) => !now.isLoading);
  };
  return page;
};
const ask = (content, more) => ({ messages: [{ type: "human", content, ...more }] });

const scenarios = {};
// Both hooks do the same; how they answer, begin and name a checkpoint differs.
for (const [name, hook, more, answer, from] of [
  ["legacy", legacy, { fetchStateHistory: true, reconnectOnMount: true }, (s, v) => s.submit(undefined, { command: { resume: v } }), (checkpoint) => ({ checkpoint })],
  ["current", current, {}, (s, v) => s.respond(v, { interruptId: s.interrupts[0].id }), (checkpoint) => ({ forkFrom: checkpoint.checkpoint_id })],
]) {
  const page = (assistantId, options) => open(hook, { assistantId, ...more, ...options });
  const all = {
    async asks() {
      const p = page("chat");
      await p.until("the page", () => true);
      p.stream.submit(ask("hi"));
      const first = await p.until("a reply", (now) => now.messages.length === 2 && !now.isLoading);
      p.stream.submit(ask("again", { id: "2" }));
      const second = await p.until("a reply", (now) => now.messages.length === 4 && !now.isLoading);
      p.close();
      const again = page("chat", { threadId: p.thread });
      const reload = await again.until("what was said", (now) => now.messages.length === 4 && !now.isLoading);
      again.close();
      return { first, second, reload, log: p.log };
    },
    async writes() {
      const p = page("writes");
      await p.until("the page", () => true);
      p.stream.submit(ask("hi", { id: "1" }));
      const text = (m) => `${m.type}: ${typeof m.content === "string" ? m.content : m.content.map((b) => b.text).join("")}`;
      const before = new Set(); // how far the reply was
      await p.until("the end", (now) => {
        for (const m of now.messages.slice(1)) before.add(text(m));
        return now.messages.at(-1)?.type === "ai" && !now.isLoading;
      });
      const { messages } = await p.idle();
      p.close();
      const whole = text(messages.at(-1));
      return { messages: messages.map(text), parts: [...before].every((part) => whole.startsWith(part)), log: p.log };
    },
    async answers() {
      const p = page("approve");
      await p.until("the page", () => true);
      p.stream.submit(ask("hi", { id: "1" }));
      const asked = await p.until("a question", (now) => now.interrupts.length === 1 && !now.isLoading);
      p.close();
      const again = page("approve", { threadId: p.thread });
      const reload = await again.until("the question", (now) => now.interrupts.length === 1 && !now.isLoading);
      answer(again.stream, "ann");
      const answered = await again.until("a reply", (now) => now.messages.length === 2 && !now.isLoading && now.interrupts.length === 0);
      again.close();
      return { asked, reload, answered, log: p.log, again: again.log };
    },
    async answersInside() {
      const p = page("nested");
      await p.until("the page", () => true);
      p.stream.submit({ lines: [], who: "it" }, { streamSubgraphs: true });
      const asked = await p.until("a question", (now) => now.interrupts.length === 1 && !now.isLoading);
      answer(p.stream, "ann");
      const answered = await p.until("the end", (now) => now.values.who === "ann" && !now.isLoading && now.interrupts.length === 0);
      p.close();
      return { asked: asked.interrupts, who: answered.values.who, log: p.log };
    },
    async answersMany() {
      const p = page("both");
      await p.until("the page", () => true);
      p.stream.submit({ lines: [] });
      const asked = await p.until("questions", (now) => now.interrupts.length === 2 && !now.isLoading);
      const answers = Object.fromEntries(asked.interrupts.map((i) => [i.id, `${i.value}!`]));
      if (p.stream.respondAll) p.stream.respondAll(answers);
      else answer(p.stream, answers);
      const answered = await p.until("the end", (now) => now.values.lines.length === 2 && !now.isLoading && now.interrupts.length === 0);
      p.close();
      return { asked, answered, log: p.log };
    },
    async rejoins() {
      const p = page("pace");
      await p.until("the page", () => true);
      p.stream.submit({ lines: [] });
      await p.until("a line", (now) => now.values.lines?.length === 1);
      p.close();
      const again = page("pace", { threadId: p.thread });
      const going = await again.until("the run", (now) => now.isLoading);
      const ended = await again.until("its end", (now) => !now.isLoading && now.values.lines?.length === 3);
      again.close();
      return { going: going.isLoading, ended };
    },
    async branches() {
      const p = page("chat");
      await p.until("the page", () => true);
      p.stream.submit(ask("one", { id: "1" }));
      await p.until("a reply", (now) => now.messages.length === 2 && !now.isLoading);
      p.stream.submit(ask("two", { id: "2" }));
      await p.until("a reply", (now) => now.messages.length === 4 && !now.isLoading);
      await p.idle();
      const history = await p.stream.client.threads.getHistory(p.thread);
      const before = history.find((s) => s.values.messages?.length === 2 && s.next.length === 0);
      p.stream.submit(ask("three", { id: "3" }), from(before.checkpoint));
      const forked = await p.until("a reply", (now) => now.messages.at(-1)?.content[0]?.text === "They said: three" && !now.isLoading);
      await p.idle();
      const out = { forked };
      if (p.stream.setBranch) {
        const about = () => p.stream.messages.map((m, i) => p.stream.getMessagesMetadata(m, i)?.branchOptions?.length ?? 0);
        await p.until("branches", () => about().some((n) => n > 0));
        out.options = about();
        const at = p.stream.messages.findIndex((m, i) => out.options[i] > 0);
        p.stream.setBranch(p.stream.getMessagesMetadata(p.stream.messages[at], at).branchOptions[0]);
        out.other = await p.until("the other branch", (now) => now.messages[2]?.content === "two");
        out.history = p.stream.history.length;
      }
      p.close();
      return out;
    },
    async stops() {
      const p = page("slow");
      await p.until("the page", () => true);
      p.stream.submit({ lines: ["hi"] });
      await p.until("the values", (now) => now.values.lines?.length === 1);
      await sleep(1000); // until then they may be those of the page
      await p.stream.stop();
      const stopped = await p.idle();
      p.close();
      for (let i = 0; i < 100; i++) {
        await sleep(50);
        const runs = await p.stream.client.runs.list(p.thread);
        if (runs[0].status !== "running") return { stopped, status: runs[0].status, log: p.log };
      }
      throw new Error("the run goes on");
    },
    async fails() {
      const p = page("fails");
      await p.until("the page", () => true);
      p.stream.submit({ lines: ["hi"] });
      const failed = await p.until("an error", (now) => now.error && !now.isLoading);
      p.close();
      return { ...failed, error: failed.error.includes("it fails"), log: p.log };
    },
  };
  for (const [what, scenario] of Object.entries(all)) scenarios[`${name}.${what}`] = scenario;
}

await run(scenarios);
