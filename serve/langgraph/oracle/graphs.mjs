// The graphs of graphs_test.go for the reference server.
import { Annotation, END, Send, START, StateGraph, interrupt } from "@langchain/langgraph";

const Talk = Annotation.Root({
  lines: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
  who: Annotation(),
});
const say = (line) => async () => ({ lines: [line] });
const ask = (question) => async () => ({ who: interrupt(question) });

const line = (steps) => {
  const g = new StateGraph(Talk);
  let before = START;
  for (const [name, node] of Object.entries(steps)) {
    g.addNode(name, node);
    g.addEdge(before, name);
    before = name;
  }
  return g.addEdge(before, END).compile();
};

export const chain = line({ a: say("a"), ask: ask("who is it?"), b: say("b") });

export const fails = line({
  a: say("a"),
  fail: async () => {
    throw new Error("it fails");
  },
});

export const slow = line({
  wait: (_, config) => new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new Error("too long")), 60_000);
    config.signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("aborted"));
    });
  }),
});

const Fanned = Annotation.Root({
  items: Annotation(),
  item: Annotation(),
  done: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
export const fan = new StateGraph(Fanned)
  .addNode("plan", async () => ({}))
  .addNode("work", async (s) => ({ done: [s.item * 10] }))
  .addNode("sum", async (s) => ({ item: s.done.length }))
  .addEdge(START, "plan")
  .addConditionalEdges("plan", (s) => s.items.map((item) => new Send("work", { item })), ["work"])
  .addEdge("work", "sum")
  .addEdge("sum", END)
  .compile();

const inner = line({ first: say("first"), question: ask({ text: "who?" }) });
export const nested = new StateGraph(Talk)
  .addNode("before", say("before"))
  .addNode("inside", inner)
  .addNode("after", say("after"))
  .addEdge(START, "before")
  .addEdge("before", "inside")
  .addEdge("inside", "after")
  .addEdge("after", END)
  .compile();
