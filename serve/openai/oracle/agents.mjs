// What OpenAI's client reads of responses, and what its agents do with models of a server, as JSON.
import OpenAI from "openai";
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, hostedMcpTool, setTracingDisabled, tool } from "@openai/agents";
import { z } from "zod";

const [, , url, apiKey] = process.argv;
const client = new OpenAI({ baseURL: url + "/v1", apiKey, maxRetries: 0 });
setTracingDisabled(true);

const short = (items) =>
  items.map((i) => {
    switch (i.type) {
      case "message":
        return i.content.map((c) => c.text).join();
      case "mcp_call":
        return `${i.server_label}.${i.name}(${i.arguments}) = ${i.output}`;
      default:
        return `${i.type} ${i.name}`;
    }
  });

// The client.
const first = await client.responses.create({ model: "parrot", input: "grüß 𝄞 Gott", metadata: { a: "b" } });
const second = await client.responses.create({ model: "parrot", input: [{ role: "user", content: "two" }], previous_response_id: first.id });
const later = await client.responses.retrieve(second.id);
const items = [];
for await (const i of await client.responses.inputItems.list(second.id)) items.push(i.content);
const removed = await client.responses.delete(second.id);
const gone = await client.responses.retrieve(second.id).then(() => 200, (e) => e.status);

const types = new Set();
let text = "";
const stream = await client.responses.create({ model: "clerk", input: "weather", stream: true });
for await (const event of stream) {
  types.add(event.type.replace("response.", ""));
  if (event.type === "response.output_text.delta") text += event.delta;
}
const helper = client.responses.stream({ model: "clerk", input: "weather" });
const final = await helper.finalResponse();
const cited = client.responses.stream({ model: "parrot", input: "cite" });
const note = (await cited.finalResponse()).output[0].content[0].annotations[0];
const failed = await client.responses.create({ model: "parrot", input: "fail" }).then(() => null, (e) => ({ status: e.status, code: e.code }));
const endings = [];
for await (const event of await client.responses.create({ model: "parrot", input: "fail", stream: true })) endings.push(event.type);
const background = await client.responses.create({ model: "parrot", input: "wait", background: true });
const cancelled = await client.responses.cancel(background.id);

// Agents.
const called = [];
const lookUp = tool({
  name: "weather",
  description: "A tool of the client's with the name of one of the server's.",
  parameters: z.object({ town: z.string() }),
  execute: async () => called.push("client") && "sun",
});
const runner = new Runner({ tracingDisabled: true });
const agent = (more) => new Agent({ name: "A", instructions: "Be brief.", tools: [lookUp], ...more });
const responses = (model) => new OpenAIResponsesModel(client, model);
const chat = (model) => new OpenAIChatCompletionsModel(client, model);

const parrot = await runner.run(agent({ model: responses("parrot") }), "one");
const history = await runner.run(agent({ model: responses("parrot") }), [...parrot.history, { role: "user", content: "two" }]);
const chained = await runner.run(agent({ model: responses("parrot") }), "two", { previousResponseId: parrot.lastResponseId });
const clerk = await runner.run(agent({ model: responses("clerk") }), "weather");
const streamed = await runner.run(agent({ model: responses("clerk") }), "weather", { stream: true });
let spoken = "";
for await (const event of streamed) if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") spoken += event.data.delta;
await streamed.completed;
const chats = await runner.run(agent({ model: chat("clerk") }), "weather");
const chatStreamed = await runner.run(agent({ model: chat("parrot") }), "one", { stream: true });
await chatStreamed.completed;
const over = await runner.run(
  new Agent({ name: "B", model: responses("parrot"), instructions: "x", handoffs: [agent({ model: responses("clerk") })] }), "one");

// Approvals: by a callback, and by a person who answers later.
const desk = (more) => hostedMcpTool({ serverLabel: "clerk", serverUrl: "https://clerk.example", requireApproval: "always", ...more });
const asked = [];
const byCallback = await runner.run(
  agent({ model: responses("clerk"), tools: [desk({ onApproval: async (_, item) => ({ approve: asked.push(item.rawItem.name) > 0 }) })] }), "mail mail");
const person = agent({ model: responses("clerk"), tools: [desk()] });
const decide = async (options) => {
  let result = await runner.run(person, "mail mail", options);
  const waits = result.interruptions.map((i) => i.rawItem.name);
  result.state.approve(result.interruptions[0]);
  result.state.reject(result.interruptions[1]);
  result = await runner.run(person, result.state, options);
  return { waits, says: result.finalOutput, more: (await runner.run(person, [...result.history, { role: "user", content: "thanks" }])).finalOutput };
};
const byPerson = await decide();
const inConversation = await decide({ conversationId: "conv_of_approvals" });

console.log(JSON.stringify({
  client: {
    first: first.output_text, second: second.output_text, later: later.output_text === second.output_text, items, removed: removed.deleted, gone,
    stream: { types: [...types], text }, helper: { same: final.output_text === text, items: short(final.output) }, note,
    failed, endings, cancelled: cancelled.status,
  },
  agents: {
    called, parrot: parrot.finalOutput, history: history.finalOutput, chained: chained.finalOutput,
    clerk: clerk.finalOutput, items: clerk.newItems.map((i) => i.type), spoken, chat: chats.finalOutput, chatStreamed: chatStreamed.finalOutput, over: over.finalOutput,
    approvals: { asked, says: byCallback.finalOutput, byPerson, inConversation },
  },
}, null, 1));
process.exit(0);
