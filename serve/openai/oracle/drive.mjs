// What OpenAI's own client reads of a server, as JSON.
import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, InternalServerError, NotFoundError, RateLimitError } from "openai";

const [, , url, apiKey] = process.argv;
const client = new OpenAI({ baseURL: url + "/v1", apiKey, maxRetries: 0 });
const messages = [{ role: "user", content: "grüß 𝄞 Gott" }];
const model = "parrot";

const failure = async (kind, ask) => {
  try {
    await ask();
    return "no error";
  } catch (e) {
    return { typed: e instanceof kind, status: e.status, param: e.param ?? null, code: e.code ?? null, type: e.type ?? null };
  }
};
const ask = (more, c = client) => c.chat.completions.create({ model, messages, ...more });

const models = [];
for await (const m of await client.models.list()) models.push(m.id);

const whole = await ask({ temperature: 0, user: "u" });
const again = await ask({ messages: [...messages, whole.choices[0].message, { role: "user", content: "two" }] });

const tools = await ask({ tools: [{ type: "function", function: { name: "f" } }], tool_choice: "required" });

const pieces = await ask({ stream: true, stream_options: { include_usage: true } });
let text = "", last, ends = [];
for await (const chunk of pieces) {
  text += chunk.choices[0]?.delta?.content ?? "";
  if (chunk.choices[0]?.finish_reason) ends.push(chunk.choices[0].finish_reason);
  last = chunk;
}

const helper = client.chat.completions.stream({ model, messages });
const final = await helper.finalMessage();

// A stream that is left ends at once, and so does its run: see the test.
const aborting = await ask({ stream: true, messages: [{ role: "user", content: "wait" }] });
for await (const chunk of aborting) {
  if (chunk.choices[0].delta.role !== "assistant") throw new Error("the first piece names the role");
  aborting.controller.abort();
}
const aborter = new AbortController();
setTimeout(() => aborter.abort(), 300);
const aborted = await client.chat.completions
  .create({ model, messages: [{ role: "user", content: "wait" }] }, { signal: aborter.signal })
  .then(() => false, (e) => e instanceof APIUserAbortError);

const failing = { messages: [{ role: "user", content: "fail" }] };
let broken;
try {
  for await (const chunk of await ask({ ...failing, stream: true })) void chunk;
} catch (e) {
  broken = { message: e.message, type: e.type };
}

// Two runs, of which one waits, are as many as the server takes here.
const busy = [];
for (let i = 0; i < 2; i++) busy.push(await ask({ stream: true, messages: [{ role: "user", content: "wait" }] }));
const full = await failure(RateLimitError, () => ask({}));
for (const b of busy) b.controller.abort();

console.log(JSON.stringify({
  models,
  one: (await client.models.retrieve(model)).id,
  whole: { text: whole.choices[0].message.content, annotations: whole.choices[0].message.annotations, finish: whole.choices[0].finish_reason, usage: whole.usage },
  again: again.choices[0].message.content,
  tools: { same: tools.choices[0].message.content === whole.choices[0].message.content, ignored: tools.assay.ignored },
  stream: { same: text === whole.choices[0].message.content, ends, usage: last.usage },
  helper: { same: final.content === whole.choices[0].message.content, cites: final.annotations?.length },
  aborted,
  broken,
  errors: {
    authentication: await failure(AuthenticationError, () => ask({}, new OpenAI({ baseURL: url + "/v1", apiKey: "wrong", maxRetries: 0 }))),
    model: await failure(NotFoundError, () => ask({ model: "gpt" })),
    field: await failure(BadRequestError, () => ask({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] })),
    failing: await failure(InternalServerError, () => ask(failing)),
    full,
  },
}, null, 1));
process.exit(0);
