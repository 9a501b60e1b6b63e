// The graphs of graphs_test.go for the reference server.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, END, MessagesAnnotation, Send, START, StateGraph, interrupt } from "@langchain/langgraph";

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

const Quiz = Annotation.Root({
  said: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
  who: Annotation(),
});
const inner = new StateGraph(Quiz)
  .addNode("first", async () => ({ said: ["first"] }))
  .addNode("question", ask({ text: "who?" }))
  .addEdge(START, "first")
  .addEdge("first", "question")
  .addEdge("question", END)
  .compile();
export const nested = new StateGraph(Talk)
  .addNode("before", say("before"))
  .addNode("inside", inner)
  .addNode("after", say("after"))
  .addEdge(START, "before")
  .addEdge("before", "inside")
  .addEdge("inside", "after")
  .addEdge("after", END)
  .compile();

const pause = (line) => async () => {
  await new Promise((r) => setTimeout(r, 1000));
  return { lines: [line] };
};
export const pace = line({ a: pause("a"), b: pause("b"), c: pause("c") });

const answered = (name) => async () => ({ lines: [interrupt(name)] });
export const both = new StateGraph(Talk)
  .addNode("left", answered("left?"))
  .addNode("right", answered("right?"))
  .addEdge(START, "left")
  .addEdge(START, "right")
  .addEdge("left", END)
  .addEdge("right", END)
  .compile();

const Chat = Annotation.Root({ ...MessagesAnnotation.spec, who: Annotation() });
const reply = async (s, config) => {
  const said = s.messages.at(-1).text;
  config.writer?.({ name: "progress", payload: { step: "reply" } });
  const annotations = [{ type: "citation", url: "https://example.com/d", title: "D", start_index: 0, end_index: 4, cited_text: "They", doc: "d", start: 7, end: 11 }];
  return { messages: [new AIMessage({ id: `reply-${s.messages.length}`, content: [{ type: "text", text: `They said: ${said}`, annotations }] })] };
};
export const chat = new StateGraph(Chat).addNode("reply", reply).addEdge(START, "reply").addEdge("reply", END).compile();
export const approve = new StateGraph(Chat)
  .addNode("ask", ask({ text: "may I?" }))
  .addNode("reply", reply)
  .addEdge(START, "ask")
  .addEdge("ask", "reply")
  .addEdge("reply", END)
  .compile();

const model = new FakeListChatModel({ sleep: 40, responses: ["Once upon a time"] });
export const writes = new StateGraph(Chat)
  .addNode("write", async (s) => {
    let whole;
    for await (const piece of await model.stream(s.messages)) whole = whole ? whole.concat(piece) : piece;
    return { messages: [new AIMessage({ id: whole.id, content: whole.content })] };
  })
  .addEdge(START, "write")
  .addEdge("write", END)
  .compile();

// A Script asks for the weather, or pays, and then says what the tool returned.
class Script extends BaseChatModel {
  _llmType() {
    return "script";
  }
  pieces(messages) {
    const last = messages.at(-1);
    if (last.getType() === "tool") return [{ content: "It says " }, { content: last.text }];
    const pay = last.text.includes("pay");
    const call = { name: pay ? "pay" : "weather", args: pay ? '{"euros":4}' : '{"town":"Oslo"}', id: `call-${messages.length}`, index: 0, type: "tool_call_chunk" };
    return [{ content: "", tool_call_chunks: [call] }];
  }
  async *_streamResponseChunks(messages, _, manager) {
    for (const piece of this.pieces(messages)) {
      const chunk = new ChatGenerationChunk({ text: piece.content, message: new AIMessageChunk(piece) });
      yield chunk;
      await manager?.handleLLMNewToken(piece.content, undefined, undefined, undefined, undefined, { chunk });
    }
  }
  async _generate(messages) {
    const message = this.pieces(messages).map((p) => new AIMessageChunk(p)).reduce((a, b) => a.concat(b));
    return { generations: [{ text: message.text, message }] };
  }
}
const script = new Script({});
const tools = async (s) => {
  const messages = [];
  for (const { id, name, args } of s.messages.at(-1).tool_calls) {
    let content = `${name} of ${Object.values(args)[0]}`;
    if (name === "pay") {
      const { decisions } = interrupt({ action_requests: [{ name, args, description: "Pays." }], review_configs: [{ action_name: name, allowed_decisions: ["approve", "edit", "reject"] }] });
      const [{ type, edited_action, message }] = decisions;
      if (type === "reject") content = message;
      if (type === "edit") content = `${name} of ${Object.values(edited_action.args)[0]}`;
    }
    messages.push(new ToolMessage({ id: `${id}-result`, tool_call_id: id, name, content, status: "success" }));
  }
  return { messages };
};
export const react = new StateGraph(Chat)
  .addNode("agent", async (s, config) => ({ messages: [await script.invoke(s.messages, config)] }))
  .addNode("tools", tools)
  .addEdge(START, "agent")
  .addConditionalEdges("agent", (s) => (s.messages.at(-1).tool_calls?.length ? "tools" : END), ["tools", END])
  .addEdge("tools", "agent")
  .compile();
