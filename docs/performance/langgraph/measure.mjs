// The workloads of ../workload_test.go on LangGraph.js. Each line of standard input names a
// workload and how often to run it. Each line of standard output is the fault, empty for none. The
// end of the input ends the process.
import { createInterface } from "node:readline";
import { AIMessage } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { Annotation, END, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";

const loopSteps = 1000;
const fanOutWidth = 100;
const chainLength = 10;

// The state: four fields, one of them a list.
const Job = Annotation.Root({
  count: Annotation({ reducer: (_, update) => update, default: () => 0 }),
  sum: Annotation({ reducer: (a, b) => a + b, default: () => 0 }),
  name: Annotation({ reducer: (_, update) => update, default: () => "" }),
  log: Annotation({ reducer: (list, more) => list.concat(more), default: () => [] }),
});

const emptyJob = () => ({ count: 0, sum: 0, name: "", log: [] });

// work is as many rounds of the same kind of shifts as in Go, on 32 bits: 64
// would need BigInt, which takes a hundred times as long.
function work(s) {
  let x = (s.count + s.sum + s.name.length + s.log.length) | 1;
  for (let i = 0; i < 10; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x === 0 ? 0 : s.count + 1;
}

const counting = (s) => ({ count: work(s) });

function checkCount(s, want) {
  if (s.count !== want) throw new Error(`the count is ${s.count}, not ${want}`);
}

function checkList(list) {
  if (list.length !== fanOutWidth) throw new Error(`the list has ${list.length} elements, not ${fanOutWidth}`);
  list.forEach((v, i) => {
    if (v !== i + 1) throw new Error(`element ${i} of the list is ${v}, not ${i + 1}: the order is wrong`);
  });
}

// loop runs each time on a thread of the given name; only a saver heeds it.
function loop(checkpointer, thread = () => "t") {
  const app = new StateGraph(Job)
    .addNode("a", counting)
    .addNode("b", counting)
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addConditionalEdges("b", (s) => (s.count >= loopSteps ? END : "a"), ["a", END])
    .compile({ checkpointer });
  return async () => {
    const options = { recursionLimit: loopSteps + 1, configurable: { thread_id: thread() } };
    checkCount(await app.invoke({ count: 0 }, options), loopSteps);
  };
}

// checkpoint gives each run a thread of its own and forgets it afterwards: a
// saver keeps all that it was given, and would grow.
function checkpoint() {
  const saver = new MemorySaver();
  let runs = 0;
  const once = loop(saver, () => `t${runs}`);
  return async () => {
    await once();
    const kept = Object.keys(saver.storage[`t${runs}`][""]).length;
    if (kept < loopSteps) throw new Error(`there are ${kept} checkpoints, fewer than ${loopSteps}`);
    await saver.deleteThread(`t${runs++}`);
  };
}

function fanOut() {
  const app = new StateGraph(Job)
    .addNode("n", (s) => ({ log: [work(s)] }))
    .addConditionalEdges(
      START,
      () => Array.from({ length: fanOutWidth }, (_, i) => new Send("n", { ...emptyJob(), count: i })),
      ["n"],
    )
    .addEdge("n", END)
    .compile();
  return async () => checkList((await app.invoke({ count: 0 })).log);
}

function chain() {
  const graph = new StateGraph(Job);
  let before = START;
  for (let i = 0; i < chainLength; i++) {
    graph.addNode(`n${i}`, counting).addEdge(before, `n${i}`);
    before = `n${i}`;
  }
  const app = graph.addEdge(before, END).compile();
  return async () => checkCount(await app.invoke({ count: 0 }), chainLength);
}

function alone() {
  return () => {
    const s = emptyJob();
    for (let i = 0; i < loopSteps; i++) s.count = work(s);
    checkCount(s, loopSteps);
  };
}

// Scripted is the model of ../agent_test.go.
class Scripted extends BaseChatModel {
  constructor(rounds, calls) {
    super({});
    this.rounds = rounds;
    this.calls = calls;
  }
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const round = Math.floor(messages.length / (this.calls + 1));
    const message =
      round >= this.rounds
        ? new AIMessage("done")
        : new AIMessage({
            content: "",
            tool_calls: Array.from({ length: this.calls }, (_, i) => ({ id: `c${round}-${i}`, name: "tool", args: { n: i }, type: "tool_call" })),
          });
    return { generations: [{ text: "", message }] };
  }
}

function agent(rounds, calls, wait) {
  const add = tool(
    async ({ n }) => {
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
      return String(n + 1);
    },
    {
      name: "tool",
      description: "A tool.",
      schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    },
  );
  const app = createReactAgent({ llm: new Scripted(rounds, calls), tools: [add] });
  return async () => {
    const out = await app.invoke({ messages: [{ role: "user", content: "go" }] }, { recursionLimit: 100 });
    const want = 2 + rounds * (calls + 1);
    if (out.messages.length !== want || out.messages.at(-1).content !== "done") {
      throw new Error(`there are ${out.messages.length} messages, not ${want}`);
    }
  };
}

const workloads = { work: alone, loop: () => loop(), checkpoint, fanout: fanOut, chain, agent: () => agent(10, 1, 0), tools: () => agent(1, 100, 10) };

const compiled = new Map();

// measure runs a graph some times. It compiles a graph only once in the life of the process, and
// collects no garbage first: both would throw away code that the JavaScript engine has optimised,
// and double what a step takes.
async function measure({ workload, runs }) {
  if (!compiled.has(workload)) compiled.set(workload, workloads[workload]());
  const once = compiled.get(workload);
  for (let i = 0; i < runs; i++) await once();
  return "";
}

const answer = (fault) => process.stdout.write(JSON.stringify(fault) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  try {
    answer(await measure(JSON.parse(line)));
  } catch (err) {
    answer(String(err?.message ?? err));
  }
}
