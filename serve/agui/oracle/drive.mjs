// What AG-UI's own client reads of a server, as JSON. Each event is checked with the protocol's schema.
import { HttpAgent, buildResumeArray } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";

const [, , url, token] = process.argv;
const headers = { Authorization: "Bearer " + token };
const kinds = new Set(), warnings = [];
console.warn = (...args) => warnings.push(args.map(String).join(" "));
let invalid = 0;

const agentOf = (path, more) => new HttpAgent({ url: url + path, headers, ...more });
const ask = (agent, id, text) => agent.addMessage({ id, role: "user", content: text });
const run = (agent, parameters, more) => {
  const checked = {
    ...more,
    onEvent: ({ event }) => {
      kinds.add(event.type);
      const { success, error } = EventSchemas.safeParse(event);
      if (!success && invalid++ < 5) console.error(event, error);
    },
  };
  return agent.runAgent(parameters, checked);
};
const brief = (messages) => messages.map((m) => `${m.role}:${m.id}${m.toolCalls?.map((c) => c.function.name + c.function.arguments) ?? ""}`).join(" ");

// A conversation of two turns: the client has what the thread has.
const agent = agentOf("/agui", { threadId: "t", initialState: { topic: "a long topic, so that changes are short" } });
ask(agent, "u1", "tool");
const first = await run(agent, { tools: [{ name: "paint", description: "It paints.", parameters: { type: "object" } }], context: [{ description: "d", value: "v" }], forwardedProps: { voice: "low" } });
const turn = { new: brief(first.newMessages), state: agent.state, cites: agent.messages.find((m) => m.id === "a-u1").metadata.annotations.length };
agent.setState({ ...agent.state, topic: "another long topic, so that changes are short" });
ask(agent, "u2", "hello");
await run(agent);
const conversation = { messages: brief(agent.messages), state: agent.state, last: agent.messages.at(-1).content };

// Another client of the thread gets its history.
const late = agentOf("/agui/chat", { threadId: "t" });
await run(late);
const joined = { messages: brief(late.messages), state: late.state };

// An approval, with edited arguments.
const asking = agentOf("/agui", { threadId: "asks" });
ask(asking, "u1", "approve");
await run(asking);
const asked = asking.pendingInterrupts.map(({ reason, message, toolCallId }) => ({ reason, message, toolCallId }));
const uncovered = await run(asking).then(() => "no error", (e) => e.message.replace(/[0-9a-f]{32}/, "ID"));
await run(asking, { resume: buildResumeArray(asking.pendingInterrupts, { [asking.pendingInterrupts[0].id]: { status: "resolved", payload: { approved: true, editedArgs: { q: 2 } } } }) });
const approved = { open: asking.pendingInterrupts.length, messages: brief(asking.messages), result: asking.messages.find((m) => m.role === "tool").content };

// Failures.
const failing = agentOf("/agui");
ask(failing, "u1", "fail");
let failed;
await run(failing, {}, { onRunErrorEvent: ({ event: { code, message } }) => void (failed = { code, message }) });
console.error = () => {}; // the client reports what follows there, too
const nobody = await run(agentOf("/agui/nobody")).then(() => "no error", (e) => e.message);

// A client that stops its run.
const stopping = agentOf("/agui", { threadId: "stops" });
ask(stopping, "u1", "wait");
await run(stopping, {}, { onTextMessageContentEvent: () => stopping.abortRun() }).catch(() => {});
await new Promise((later) => setTimeout(later, 500)); // the server cancels the run later
ask(stopping, "u2", "hello");
await run(stopping);
const stopped = brief(stopping.messages);

console.log(JSON.stringify({ turn, conversation, joined, asked, uncovered, approved, failed, nobody, stopped, kinds: [...kinds].sort().join(" "), invalid, warnings }, null, 1));
process.exit(0);
