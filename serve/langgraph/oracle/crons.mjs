// Drives a server with what LangGraph's SDK has and its own development server has not: crons,
// webhooks, the time to live, the stream of a thread, and rollback. It prints what was not as it is to
// be: a list of texts.
//
//	node crons.mjs http://127.0.0.1:2024
import http from "node:http";
import { Client } from "@langchain/langgraph-sdk";

const client = new Client({ apiUrl: process.argv[2], apiKey: null, callerOptions: { maxRetries: 0 } });
const wrong = [];
const check = (what, is, want) => {
  if (JSON.stringify(is) !== JSON.stringify(want)) wrong.push(`${what}: ${JSON.stringify(is)}, want ${JSON.stringify(want)}`);
};
const status = async (call) => {
  try {
    await call();
    return 200;
  } catch (e) {
    return e.status ?? String(e);
  }
};
const pause = (ms) => new Promise((r) => setTimeout(r, ms));

const calls = [];
const hook = http.createServer((req, res) => {
  let text = "";
  req.on("data", (piece) => (text += piece));
  req.on("end", () => {
    calls.push(JSON.parse(text));
    res.end();
  });
});
await new Promise((r) => hook.listen(0, "127.0.0.1", r));
const webhook = `http://127.0.0.1:${hook.address().port}/hook`;

// A cron fires at the next minute; meanwhile the rest is tried.
const { thread_id } = await client.threads.create();
const seen = [];
const stop = new AbortController();
const stream = (async () => {
  for await (const { event, data } of client.threads.joinStream(thread_id, { signal: stop.signal, streamMode: ["run_modes"] })) seen.push([event, data]);
})().catch(() => {});
const cron = await client.crons.createForThread(thread_id, "chain", {
  schedule: "* * * * *", input: { lines: ["tick"] }, metadata: { by: "cron" }, webhook, streamMode: ["updates"], multitaskStrategy: "interrupt", enabled: true,
});
const begun = Date.now();
check("thread of the cron", cron.thread_id, thread_id);
const other = await client.crons.create("fan", { schedule: "0 0 1 1 *", timezone: "America/New_York", input: { items: [1] }, onRunCompleted: "keep", endTime: "2100-01-01T00:00:00Z" });
check("a cron", [other.thread_id, other.schedule, other.timezone, other.on_run_completed, other.enabled, other.next_run_date.slice(5)], [null, "0 0 1 1 *", "America/New_York", "keep", true, "01-01T05:00:00.000Z"]);
check("crons found", (await client.crons.search({ threadId: thread_id })).map((c) => c.cron_id), [cron.cron_id]);
check("crons found by metadata", (await client.crons.search({ metadata: { by: "cron" }, sortBy: "next_run_date", sortOrder: "asc", select: ["cron_id"] })), [{ cron_id: cron.cron_id }]);
check("crons counted", [await client.crons.count(), await client.crons.count({ assistantId: other.assistant_id })], [2, 1]);
const off = await client.crons.update(other.cron_id, { enabled: false, schedule: "5 * * * *" });
check("a changed cron", [off.enabled, off.schedule, off.next_run_date], [false, "5 * * * *", null]);
await client.crons.delete(other.cron_id);
check("deleted twice", await status(() => client.crons.delete(other.cron_id)), 404);

const lived = await client.threads.create({ ttl: 5 });
check("ttl", (({ strategy, ttl_minutes }) => [strategy, ttl_minutes])((await client.threads.get(lived.thread_id, { include: ["ttl"] })).ttl), ["delete", 5]);
await client.threads.update(lived.thread_id, { metadata: {}, ttl: { ttl: 7, strategy: "keep_latest" } });
check("ttl changed", (await client.threads.get(lived.thread_id, { include: ["ttl"] })).ttl.strategy, "keep_latest");

const batch = await client.runs.createBatch([
  { assistantId: "chain", input: { lines: ["a"] }, onCompletion: "keep", multitaskStrategy: "enqueue" },
  { assistantId: "fan", input: { items: [1] }, interruptBefore: ["sum"] },
]);
check("a batch", batch.map((r) => [r.multitask_strategy, r.kwargs.interrupt_before ?? null]), [["enqueue", null], ["reject", ["sum"]]]);

const slow = await client.threads.create({ graphId: "slow", supersteps: [{ updates: [{ values: { lines: ["before"] }, asNode: "wait" }] }] });
const undone = await client.runs.create(slow.thread_id, "slow", { input: { lines: ["no"] } });
await pause(300);
await client.runs.cancel(slow.thread_id, undone.run_id, true, "rollback");
check("rolled back", [(await client.threads.getState(slow.thread_id)).values, await status(() => client.runs.get(slow.thread_id, undone.run_id))], [{ lines: ["before"] }, 404]);

while (Date.now() - begun < 70_000 && !seen.some(([, data]) => data?.status === "run_done")) await pause(100);
const runs = await client.runs.list(thread_id);
check("runs of the cron", [runs.length, runs[0]?.metadata.by, runs[0]?.metadata.cron_id], [1, "cron", cron.cron_id]);
check("frames", seen.map(([event, data]) => [event, data.status ?? Object.keys(data)[0]]), [["metadata", "attempt"], ["updates", "a"], ["updates", "__interrupt__"], ["metadata", "run_done"]]);
await client.crons.delete(cron.cron_id);
while (Date.now() - begun < 75_000 && calls.length === 0) await pause(100);
check("calls of the webhook", calls.map((c) => [c.run_id === runs[0]?.run_id, c.status, c.values]), [[true, "success", { lines: ["tick", "a"] }]]);
stop.abort();
await stream;
console.log(JSON.stringify(wrong));
process.exit(0);
