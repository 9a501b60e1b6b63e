// Drives a server with the clients of LangGraph, and prints what they get: one JSON object
// by scenario. IDs and times are replaced, so that two servers can be compared.
//
//	node drive.mjs http://127.0.0.1:2024
import { run, url } from "./common.mjs";
import { Client } from "@langchain/langgraph-sdk";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { Command } from "@langchain/langgraph";

const client = new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } });
const all = ["values", "updates", "tasks", "checkpoints", "custom", "messages-tuple"];

const drain = async (stream) => {
  const out = [];
  for await (const { event, data } of stream) out.push([event, data]);
  return out;
};
// perStep sorts the events of a superstep, whose tasks run at the same time: by what they
// are, and not by the IDs of the tasks, which differ.
const perStep = (events) => {
  const out = [];
  let step = [];
  const end = () => {
    step = step.map(([mode, data]) => [mode, { ...data, id: undefined }]);
    const kind = ([mode, data]) => [data.triggers ? 0 : 1, mode, data.name, JSON.stringify(data.result ?? data.input ?? data)].join();
    out.push(...step.sort((a, b) => (kind(a) < kind(b) ? -1 : 1)));
    step = [];
  };
  for (const e of events) {
    if (e[0] !== "values") step.push(e);
    else {
      end();
      out.push(e);
    }
  }
  end();
  return out;
};
// told are the events of a thread from its beginning up to an end.
const told = async (thread_id, end) => {
  const stop = new AbortController();
  const channels = ["lifecycle", "values", "updates", "messages", "input", "checkpoints", "tasks", "custom"];
  const answer = await fetch(`${url}/threads/${thread_id}/stream/events`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ channels }), signal: stop.signal,
  });
  const out = [];
  let text = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const frames = (text + piece).split("\n\n");
    text = frames.pop();
    for (const frame of frames) {
      const line = frame.split("\n").find((l) => l.startsWith("data: "));
      if (!line) continue;
      const { method, params: { namespace, node, data } } = JSON.parse(line.slice(6));
      if (method !== "input.answered") out.push([method, { namespace, node, data: { ...data, run_id: undefined } }]);
      if (method === "lifecycle" && namespace.length === 0 && data.event === end) {
        stop.abort();
        return out;
      }
    }
  }
  throw new Error(`the stream of ${thread_id} ends`);
};
// failure is what a call that is refused says: its status.
const failure = async (call) => {
  try {
    await call();
    return "no error";
  } catch (e) {
    return e.status ?? e.name;
  }
};

const scenarios = {
  async threads() {
    const made = await client.threads.create({ metadata: { a: 1 } });
    const again = await failure(() => client.threads.create({ threadId: made.thread_id }));
    const same = await client.threads.create({ threadId: made.thread_id, ifExists: "do_nothing" });
    const patched = await client.threads.update(made.thread_id, { metadata: { b: { c: 2 } } });
    const found = await client.threads.search({ metadata: { b: { c: 2 } }, limit: 5 });
    const none = await client.threads.search({ metadata: { b: { c: 3 } } });
    const count = await client.threads.count({ metadata: { b: { c: 2 } } });
    const state = await client.threads.getState(made.thread_id);
    const history = await client.threads.getHistory(made.thread_id);
    await client.threads.delete(made.thread_id);
    const gone = await failure(() => client.threads.get(made.thread_id));
    return { made, again, same, patched, found, none, count, state, history, gone };
  },
  async chain() {
    const { thread_id } = await client.threads.create();
    const first = await drain(client.runs.stream(thread_id, "chain", { input: { lines: ["hi"] }, streamMode: all }));
    const asked = await client.threads.getState(thread_id);
    const thread = await client.threads.get(thread_id);
    const busy = await client.threads.search({ ids: [thread_id], status: "interrupted", select: ["thread_id", "status", "interrupts"] });
    const second = await drain(client.runs.stream(thread_id, "chain", { command: { resume: "ann" }, streamMode: ["values", "updates", "debug"] }));
    const ended = await client.threads.get(thread_id);
    const history = await client.threads.getHistory(thread_id);
    const runs = await client.runs.list(thread_id);
    const run = await client.runs.get(thread_id, runs[0].run_id);
    return { first, asked, thread, busy, second, ended, history, runs: runs.map((r) => r.status), run: run.status };
  },
  async answerByID() {
    const { thread_id } = await client.threads.create();
    const first = await client.runs.wait(thread_id, "chain", { input: { lines: ["hi"] } });
    const second = await client.runs.wait(thread_id, "chain", { command: { resume: { [first.__interrupt__[0].id]: "bob" } } });
    return { first, second };
  },
  async messages() {
    const { thread_id } = await client.threads.create();
    const input = { messages: [{ role: "user", content: "hi", id: "1" }] };
    const tuples = await drain(client.runs.stream(thread_id, "chat", { input, streamMode: ["messages-tuple", "values"] }));
    const whole = await drain(client.runs.stream(thread_id, "chat", { input: { messages: [{ role: "user", content: "more", id: "2" }] }, streamMode: ["messages"] }));
    const state = await client.threads.getState(thread_id);
    return { tuples, whole, state: state.values };
  },
  async twoInterrupts() {
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "both", { input: {} });
    const asked = Object.values((await client.threads.get(thread_id)).interrupts).flat();
    const resume = Object.fromEntries(asked.map(({ id, value }) => [id, `answer to ${value}`]));
    return { asked: asked.map((a) => a.value).sort(), ended: (await client.runs.wait(thread_id, "both", { command: { resume } })).lines.sort() };
  },
  async unknownKeys() {
    const { thread_id } = await client.threads.create({ metadata: { a: 1 } });
    const ended = await client.runs.wait(thread_id, "chain", { input: { lines: ["hi"], ui: [1] }, context: { user: "ann" }, config: { configurable: { user_id: "ann" }, tags: ["t"] }, metadata: { m: 1 }, feedbackKeys: ["f"] });
    return { ended, missing: await client.store.getItem(["no"], "k") };
  },
  async batch() {
    const made = await client.runs.createBatch([{ assistantId: "fan", input: { items: [1] } }, { assistantId: "chain", input: { lines: ["x"] } }]);
    return made.map((r) => [r.status, r.multitask_strategy]);
  },
  async events() {
    const id = crypto.randomUUID();
    const thread = client.threads.stream(id, { assistantId: "approve", transport: "sse" });
    await thread.run.start({ input: { messages: [{ role: "user", content: "hi", id: "1" }] } });
    await told(id, "interrupted");
    const tree = await thread.agent.getTree();
    const state = await thread.state.get({ namespace: [] });
    const [{ id: interrupt_id }] = (await client.threads.getState(id)).tasks[0].interrupts;
    await thread.input.respond({ namespace: [], interrupt_id, response: "ann" });
    const all = await told(id, "completed");
    await thread.close();
    return { tree, state, all };
  },
  async eventsInside() {
    const id = crypto.randomUUID();
    const thread = client.threads.stream(id, { assistantId: "nested", transport: "sse" });
    await thread.run.start({ input: { lines: ["hi"], who: "it" } });
    const all = await told(id, "interrupted");
    const tree = await thread.agent.getTree();
    await thread.close();
    return { all, tree };
  },
  async fan() {
    const events = await drain(client.runs.stream(null, "fan", { input: { items: [1, 2, 3] }, streamMode: ["values", "updates", "tasks"] }));
    return perStep(events);
  },
  async nested() {
    const { thread_id } = await client.threads.create();
    const first = await drain(client.runs.stream(thread_id, "nested", { input: { lines: ["hi"], who: "it" }, streamMode: ["values", "updates", "tasks"], streamSubgraphs: true }));
    const flat = await client.threads.getState(thread_id);
    const deep = await client.threads.getState(thread_id, undefined, { subgraphs: true });
    const inside = await client.threads.getState(thread_id, { ...flat.tasks[0].checkpoint });
    const second = await drain(client.runs.stream(thread_id, "nested", { command: { resume: "ann" }, streamMode: ["values", "updates"], streamSubgraphs: true }));
    return { first, flat, deep, inside, second: second.filter(([event]) => !event.startsWith("checkpoints|")) };
  },
  async timeTravel() {
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "chain", { input: { lines: ["hi"] } });
    const before = (await client.threads.getHistory(thread_id)).find((s) => s.next[0] === "a");
    const again = await client.runs.wait(thread_id, "chain", { input: null, checkpoint: before.checkpoint });
    await client.threads.updateState(thread_id, { values: { lines: ["edit"] }, asNode: "ask" });
    const edited = await client.threads.getState(thread_id);
    const forked = await client.threads.updateState(thread_id, { values: { lines: ["fork"] }, checkpointId: before.checkpoint.checkpoint_id });
    const fork = await client.threads.getState(thread_id);
    const rest = await client.runs.wait(thread_id, "chain", { input: null, checkpoint: forked.checkpoint });
    const history = (await client.threads.getHistory(thread_id, { limit: 100 })).map((s) => [s.metadata.source, s.metadata.step, s.next, s.values]);
    return { again, edited, forked, fork, rest, history };
  },
  async breakpoints() {
    const { thread_id } = await client.threads.create();
    const first = await drain(client.runs.stream(thread_id, "chain", { input: { lines: ["hi"] }, interruptBefore: ["a"], streamMode: ["values", "updates"] }));
    const at = await client.threads.getState(thread_id);
    const thread = await client.threads.get(thread_id);
    const second = await drain(client.runs.stream(thread_id, "chain", { input: null, interruptAfter: ["a"], streamMode: ["values", "updates"] }));
    return { first, at, thread: thread.status, second, next: (await client.threads.getState(thread_id)).next };
  },
  async fails() {
    const { thread_id } = await client.threads.create();
    const events = await drain(client.runs.stream(thread_id, "fails", { input: { lines: ["hi"] }, streamMode: ["values", "updates"] }));
    const thread = await client.threads.get(thread_id);
    const state = await client.threads.getState(thread_id);
    const wait = await failure(() => client.runs.wait(null, "fails", { input: {} }));
    const runs = await client.runs.list(thread_id);
    return { events: events.map(([e]) => e), status: thread.status, next: state.next, wait, runs: runs.map((r) => r.status) };
  },
  async cancel() {
    const { thread_id } = await client.threads.create();
    const run = await client.runs.create(thread_id, "slow", { input: { lines: [] } });
    await new Promise((r) => setTimeout(r, 1500));
    const second = await failure(() => client.runs.create(thread_id, "slow", { input: {} }));
    const going = (await client.threads.get(thread_id)).status;
    await client.runs.cancel(thread_id, run.run_id, true);
    const ended = (await client.runs.get(thread_id, run.run_id)).status;
    return { second, going, ended };
  },
  async joins() {
    const { thread_id } = await client.threads.create();
    const run = await client.runs.create(thread_id, "pace", { input: { lines: ["hi"] }, streamResumable: true });
    const joined = await client.runs.join(thread_id, run.run_id);
    return { joined, status: (await client.runs.get(thread_id, run.run_id)).status };
  },
  async batch() {
    const made = await client.runs.createBatch([
      { assistantId: "chain", input: { lines: ["a"] } },
      { assistantId: "fan", input: { items: [1] } },
    ]);
    const { thread_id } = await client.threads.create();
    for (const who of ["first", "second"]) await client.runs.wait(thread_id, "chain", { input: { lines: [who] }, metadata: { who } });
    const list = await client.runs.list(thread_id);
    return { batch: made.map((r) => [r.assistant_id, r.multitask_strategy]), listed: list.map((r) => r.metadata.who) };
  },
  async assistants() {
    const chain = (await client.assistants.search({ graphId: "chain" }))[0];
    const one = await client.assistants.create({ graphId: "fan", name: "mine", metadata: { x: 1 }, config: { recursion_limit: 7 } });
    const next = await client.assistants.update(one.assistant_id, { name: "ours", metadata: { y: 2 } });
    const versions = await client.assistants.getVersions(one.assistant_id);
    const back = await client.assistants.setLatest(one.assistant_id, 1);
    const found = await client.assistants.search({ metadata: { x: 1 } });
    const drawn = await client.assistants.getGraph("chain");
    const run = await client.runs.wait(null, one.assistant_id, { input: { items: [4] } });
    await client.assistants.delete(one.assistant_id);
    return { chain, one, next, versions, back: [back.version, back.name], found: found.length, drawn, run, gone: await failure(() => client.assistants.get(one.assistant_id)) };
  },
  async store() {
    await client.store.putItem(["u", "ann"], "k", { v: 1, w: "x" });
    const item = await client.store.getItem(["u", "ann"], "k");
    const found = await client.store.searchItems(["u"], { filter: { v: 1 } });
    const names = await client.store.listNamespaces({ prefix: ["u"] });
    await client.store.deleteItem(["u", "ann"], "k");
    const rest = await client.store.searchItems(["u"]);
    return { item, found, names, rest };
  },
  async refused() {
    const { thread_id } = await client.threads.create();
    return {
      assistant: await failure(() => client.runs.wait(null, "nope", {})),
      thread: await failure(() => client.runs.wait("01a20a0c-430c-732c-b891-9255cad3000f", "chain", { input: {} })),
      run: await failure(() => client.runs.get(thread_id, "01a20a0c-430c-732c-b891-9255cad3000f")),
      state: await failure(() => client.threads.getState("01a20a0c-430c-732c-b891-9255cad3000f")),
      edit: await failure(() => client.threads.updateState(thread_id, { values: { lines: ["x"] } })),
    };
  },
  async remoteGraph() {
    const graph = new RemoteGraph({ graphId: "chain", url });
    const { thread_id } = await client.threads.create();
    const config = { configurable: { thread_id } };
    const first = await drainTuples(await graph.stream({ lines: ["hi"] }, { ...config, streamMode: ["updates"] }));
    const state = await graph.getState(config);
    const second = await graph.invoke(new Command({ resume: "ann" }), config);
    await graph.updateState(config, { lines: ["edit"] }, "b");
    const after = (await graph.getState(config)).values;
    const drawn = await graph.getGraphAsync();
    const history = [];
    for await (const s of graph.getStateHistory(config)) history.push([s.metadata.source, s.next]);
    return { first, state: { values: state.values, next: state.next, tasks: state.tasks }, second, after, nodes: Object.keys(drawn.nodes).sort(), history };
  },
};

// Each of these has a thread of its own.
const said = (text) => ({ messages: [{ role: "user", content: text, id: "1" }] });
for (const mode of ["messages-tuple", "messages", "values", "updates"]) {
  scenarios[`agent ${mode}`] = async () => {
    const { thread_id } = await client.threads.create();
    const streamed = await drain(client.runs.stream(thread_id, "react", { input: said("weather?"), streamMode: [mode] }));
    return { streamed, state: (await client.threads.getState(thread_id)).values };
  };
}
scenarios["agent events"] = async () => {
  const streamed = await drain(client.runs.stream(null, "react", { input: said("weather?"), streamMode: ["events", "messages-tuple"] }));
  const events = streamed.filter(([mode, e]) => mode === "events" && !/^Runnable/.test(e.name)).map(([, e]) => [e.event, Object.keys(e.data).sort()]);
  return { events, messages: streamed.filter(([mode]) => mode === "messages").length };
};
const decisions = { approve: {}, edit: { edited_action: { name: "pay", args: { euros: 3 } } }, reject: { message: "too dear" } };
for (const [type, more] of Object.entries(decisions)) {
  scenarios[`agent ${type}`] = async () => {
    const { thread_id } = await client.threads.create();
    const asked = await client.runs.wait(thread_id, "react", { input: said("pay") });
    const { interrupts, status } = await client.threads.get(thread_id);
    const command = { resume: { decisions: [{ type, ...more }] } };
    const answered = await drain(client.runs.stream(thread_id, "react", { command, streamMode: ["values", "messages-tuple"] }));
    return { asked, interrupts: Object.values(interrupts), status, answered };
  };
}

const drainTuples = async (stream) => {
  const out = [];
  try {
    for await (const chunk of stream) out.push(chunk);
  } catch (e) {
    out.push([e.name, e.interrupts]);
  }
  return out;
};

await run(scenarios);
