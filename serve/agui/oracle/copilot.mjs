// What CopilotKit's client reads of a server through CopilotKit's runtime, as JSON.
import { createServer } from "node:http";
import { HttpAgent } from "@ag-ui/client";
import { CopilotKitCore, ProxiedCopilotRuntimeAgent } from "@copilotkit/core";
import { CopilotRuntime, createCopilotRuntimeHandler } from "@copilotkit/runtime/v2";
import { createCopilotNodeHandler } from "@copilotkit/runtime/v2/node";
import { z } from "zod";

const [, , url, token] = process.argv;
const warnings = [];
console.warn = (...args) => warnings.push(args.map(String).join(" "));
const agents = { default: new HttpAgent({ url: url + "/agui", headers: { Authorization: "Bearer " + token } }) };
const handler = createCopilotRuntimeHandler({ runtime: new CopilotRuntime({ agents }), basePath: "/api" });
const server = createServer(createCopilotNodeHandler(handler));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const runtimeUrl = `http://127.0.0.1:${server.address().port}/api`;

const core = new CopilotKitCore({ runtimeUrl });
core.addTool({ name: "paint", description: "It paints.", parameters: z.object({}), handler: async () => "painted" });
core.addContext({ description: "d", value: "v" });
const agentOf = (threadId) => new ProxiedCopilotRuntimeAgent({ runtimeUrl, agentId: "default", threadId });
const brief = (messages) => messages.map((m) => `${m.role}:${m.id}`).join(" ");
const ask = (agent, id, content, more) => {
  agent.addMessage({ id, role: "user", content });
  return core.runAgent({ agent, ...more });
};

const agent = agentOf("copilot");
await ask(agent, "u1", "tool");
const first = { messages: brief(agent.messages), state: agent.state };
await ask(agent, "u2", "approve");
const asked = agent.pendingInterrupts.map(({ reason, message, toolCallId }) => ({ reason, message, toolCallId }));
await core.runAgent({ agent, resume: [{ interruptId: agent.pendingInterrupts[0].id, status: "resolved", payload: { approved: true } }] });
const approved = { open: agent.pendingInterrupts.length, messages: brief(agent.messages) };

// The runtime replays its runs to a page that was loaded again.
const late = agentOf("copilot");
await core.connectAgent({ agent: late });
const joined = brief(late.messages);

// Stop: the runtime leaves the server, and the server cancels the run.
const stopping = agentOf("stops");
const stopped = new Promise((done) => stopping.subscribe({ onTextMessageContentEvent: () => (stopping.abortRun(), done()) }));
const ended = ask(stopping, "u1", "wait");
await stopped;
await ended.catch(() => {});
await new Promise((later) => setTimeout(later, 500)); // the runtime stops its run later
await ask(stopping, "u2", "hello");

console.log(JSON.stringify({ first, asked, approved, joined, stopped: brief(stopping.messages), warnings }, null, 1));
process.exit(0);
