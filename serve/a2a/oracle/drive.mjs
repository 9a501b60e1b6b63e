// What the protocol's own client for JavaScript reads of a server, as JSON.
import { Role, TaskState } from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, createAuthenticatingFetchWithRetry } from "@a2a-js/sdk/client";

const [, , url, token] = process.argv;
const authorized = (key) =>
  createAuthenticatingFetchWithRetry(fetch, {
    headers: async () => ({ Authorization: "Bearer " + key }),
    shouldRetryWithHeaders: async () => undefined,
  });
const connect = (path, key = token) =>
  new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl: authorized(key) })],
      cardResolver: new DefaultAgentCardResolver(),
    }),
  ).createFromUrl(url + path);

let n = 0;
const text = (value, metadata) => ({ content: { $case: "text", value }, filename: "", mediaType: "", metadata });
const data = (value, metadata) => ({ content: { $case: "data", value }, filename: "", mediaType: "", metadata });
const message = (parts, more = {}) => ({
  message: { messageId: "m" + n++, role: Role.ROLE_USER, contextId: "", taskId: "", extensions: [], referenceTaskIds: [], metadata: undefined, parts, ...more },
  tenant: "", configuration: undefined, metadata: undefined,
});
const state = (status) => TaskState[status.state].replace("TASK_STATE_", "");
const parts = (list = []) => list.map((p) => p.content.value);
const failure = (ask) =>
  ask().then(
    () => "no error",
    (e) => (e.cause ?? e).constructor.name + " " + ((e.cause ?? e).envelopeCode ?? e.message),
  );
const told = async (stream, each = async () => {}) => {
  const out = [];
  for await (const { payload } of stream) {
    if (payload.$case === "task") out.push("task " + state(payload.value.status));
    if (payload.$case === "statusUpdate") out.push([state(payload.value.status), ...parts(payload.value.status.message?.parts)].join(" "));
    if (payload.$case === "artifactUpdate") out.push(`${payload.value.append ? "+" : ""}${parts(payload.value.artifact.parts)[0]}${payload.value.lastChunk ? "." : ""}`);
    await each(payload);
  }
  return out;
};

const client = await connect("");
const desk = await connect("/a2a/desk/");
const card = await desk.getAgentCard(); // the extended one

const one = await client.sendMessage(message([text("grüß Gott")]));
const asks = await client.sendMessage(message([text("ask")], { contextId: one.contextId }));
const { contextId, id: taskId } = asks;
let subscribed;
const subscription = told(client.resubscribeTask({ id: taskId, tenant: "" }), async ({ $case }) => {
  if ($case === "task") subscribed = client.sendMessage(message([text("ann")], { contextId, taskId }));
});
const lines = await subscription;
const answered = await subscribed;

const both = await connect("/a2a/both/");
const votes = await both.sendMessage(message([data({})]));
const voted = await both.sendMessage(message(votes.status.message.parts.map((p, i) => data(i + 1, { interrupt_id: p.metadata.interrupt_id })), { taskId: votes.id }));

const waiting = await client.sendMessage({ ...message([text("wait")]), configuration: { acceptedOutputModes: [], returnImmediately: true, historyLength: 0 } });
const canceled = await client.cancelTask({ id: waiting.id, tenant: "", metadata: undefined });
const list = await client.listTasks({ tenant: "", contextId: one.contextId, status: 0, pageToken: "", pageSize: 1 });

const pushes = [];
const push = await client.createTaskPushNotificationConfig({ taskId, id: "p", url: "https://example.com", token: "t", tenant: "", authentication: { scheme: "Bearer", credentials: "c" } });
pushes.push(push.id, (await client.getTaskPushNotificationConfig({ taskId, id: "p", tenant: "" })).authentication.credentials);
for (let i = 0; i < 2; i++) {
  pushes.push((await client.listTaskPushNotificationConfig({ taskId, pageSize: 0, pageToken: "", tenant: "" })).configs.length);
  await client.deleteTaskPushNotificationConfig({ taskId, id: "p", tenant: "" });
}

const stranger = await connect("", "the-token-of-bob");
const unknown = await connect("", "no token");
console.log(JSON.stringify({
  card: { name: card.name, skills: card.skills.map((s) => s.description.split("\n").length), interfaces: card.supportedInterfaces.map((i) => [i.protocolBinding, i.protocolVersion]), push: !!card.capabilities.pushNotifications },
  one: { state: state(one.status), answer: parts(one.artifacts[0].parts)[0], data: Object.keys(parts(one.artifacts[0].parts)[1]), cites: one.artifacts[0].metadata.annotations.map((a) => a.cited_text), history: one.history.length },
  asks: { state: state(asks.status), asks: parts(asks.status.message.parts), same: asks.contextId === one.contextId },
  answered: { state: state(answered.status), same: answered.id === taskId, history: answered.history.map((m) => [Role[m.role], ...parts(m.parts)]), answer: parts(answered.artifacts[0].parts)[0] },
  subscription: lines.filter((l) => !l.startsWith("WORKING")), // it may be seen while it runs
  voted: { state: state(voted.status), data: parts(voted.artifacts[0].parts)[0].votes.toSorted() },
  stream: await told((await connect("/a2a/writer/")).sendMessageStream(message([text("hi")]))),
  waiting: [state(waiting.status) === "SUBMITTED" || state(waiting.status) === "WORKING", waiting.history.length],
  canceled: state(canceled.status),
  got: state((await client.getTask({ id: taskId, tenant: "" })).status),
  list: { size: list.pageSize, total: list.totalSize, next: list.nextPageToken !== "", first: list.tasks[0].id === taskId, artifacts: list.tasks[0].artifacts.length },
  pushes,
  errors: {
    stranger: await failure(() => stranger.getTask({ id: taskId, tenant: "" })),
    token: (await failure(() => unknown.getTask({ id: taskId, tenant: "" }))).slice(0, 41),
    again: await failure(() => client.cancelTask({ id: waiting.id, tenant: "", metadata: undefined })),
    ended: await failure(() => client.sendMessage(message([text("x")], { taskId }))),
    subscribed: await failure(() => told(client.resubscribeTask({ id: taskId, tenant: "" }))),
    file: await failure(() => client.sendMessage(message([{ content: { $case: "raw", value: Buffer.from("x") }, filename: "x", mediaType: "image/png", metadata: undefined }]))),
    role: await failure(() => client.sendMessage(message([text("x")], { role: Role.ROLE_AGENT }))),
    push: await failure(async () => client.createTaskPushNotificationConfig({ taskId, id: "", url: "http://127.0.0.1", token: "", tenant: "" })),
    unpushed: await failure(() => client.getTaskPushNotificationConfig({ taskId, id: "p", tenant: "" })),
  },
}));
