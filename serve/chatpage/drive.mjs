// Uses the chat page as a person does, in Chromium, and prints what is seen. Pictures go to
// a folder.
import { execFileSync } from "node:child_process";
import puppeteer from "puppeteer-core";

const [page, agent, token, own, pictures, joins] = process.argv.slice(2);
const executablePath = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
const out = { problems: [] };

// open opens the page on a graph of a server.
async function open(server, graph) {
  const p = await (await browser.createBrowserContext()).newPage();
  await p.setViewport({ width: 1280, height: 1200 });
  p.setDefaultTimeout(30000);
  await p.evaluateOnNewDocument((key) => localStorage.setItem("lg:chat:apiKey", key), token);
  p.on("pageerror", (err) => out.problems.push(String(err)));
  p.on("response", (r) => {
    if (r.status() >= 400) out.problems.push(`${r.status()} ${r.request().method()} ${r.url()} ${r.request().postData()}`);
  });
  await p.goto(`${page}/?apiUrl=${encodeURIComponent(server)}&assistantId=${graph}`);
  await p.waitForSelector("textarea");
  return p;
}

const press = (p, label) => p.waitForFunction((label) => {
  const button = [...document.querySelectorAll("button")].find((b) => (b.innerText.trim() || b.getAttribute("aria-label")) === label);
  button?.click();
  return button;
}, {}, label);

async function ask(p, text) {
  await p.type("textarea", text);
  await press(p, "Send");
}

// sees waits until a text is on the page.
const sees = (p, text) => p.waitForFunction((text) => document.body.innerText.includes(text), {}, text);

// rests waits until the page has a number of answers and works on none.
const rests = (p, answers) => p.waitForFunction((answers) => {
  const labels = [...document.querySelectorAll("button")].map((b) => b.innerText.trim());
  return document.querySelectorAll(".markdown-content").length === answers && labels.includes("Send") && !labels.includes("Cancel");
}, {}, answers);

const answers = (p) => p.$$eval(".markdown-content", (all) => all.map((e) => e.innerText));
const picture = async (p, name) => {
  await new Promise((done) => setTimeout(done, 500)); // until nothing moves any more
  await p.screenshot({ path: `${pictures}/${name}.png` });
};
const next = () => fetch(page + "/next");

async function conversation() {
  const p = await open(agent, "research");
  await ask(p, "What must a plaintiff prove for battery?");
  await rests(p, 1);
  out.headings = await p.$$eval(".markdown-content h3, .markdown-content h4", (all) => all.map((e) => e.innerText));
  out.quotes = await p.$$eval(".markdown-content li", (all) => all.filter((e) => /^“.*” \[Source \d\]$/.test(e.innerText)).length);
  out.sources = await p.$$eval(".markdown-content h3 + ul li", (all) => all.map((e) => e.innerText));
  await picture(p, "answer");
  await ask(p, "And what are the defences to it?");
  await rests(p, 2);
  const before = await answers(p);
  out.followUp = before[1].split("\n")[0];
  await picture(p, "follow-up");
  await p.goto(p.url() + "&chatHistoryOpen=true");
  await rests(p, 2);
  out.again = JSON.stringify(await answers(p)) === JSON.stringify(before);
  await p.waitForFunction(() => document.querySelector("p.truncate"));
  out.threads = await p.$$eval("p.truncate", (all) => [...new Set(all.map((e) => e.innerText))]);
  await picture(p, "threads");
}

async function refusal() {
  const p = await open(agent, "extract");
  await ask(p, "Invoice number: 77");
  await sees(p, "no schema says which fields to read");
  await picture(p, "refusal");
}

async function approval() {
  const p = await open(own, "approve");
  await ask(p, "Send the letter");
  await sees(p, "send_letter");
  await picture(p, "question");
  await press(p, "Accept");
  await sees(p, "done by"); // the question has a text like that of an answer
  await rests(p, 1);
  out.approved = await answers(p);
  await picture(p, "approved");
}

// ended waits until the newest run of the page's thread has a status.
async function ended(p, status) {
  const thread = new URL(p.url()).searchParams.get("threadId");
  for (;;) {
    const run = (await (await fetch(`${own}/threads/${thread}/runs`)).json()).at(-1); // the oldest is first
    if (run.status === status) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

// steps reads the steps while they are made, and loads the page in the middle. A page that
// cannot join a run cancels it when it is left.
async function steps(joins) {
  const p = await open(own, "steps");
  await ask(p, "Go");
  await sees(p, "look →");
  await next();
  await sees(p, "look → think →");
  await picture(p, "steps");
  await p.reload();
  await sees(p, "Go");
  if (!joins) {
    await ended(p, "interrupted");
    await picture(p, "reloaded");
    await ask(p, "Again");
    await sees(p, "look →");
    await next();
  }
  await sees(p, "look → think →");
  await picture(p, "went-on");
  await next();
  await rests(p, 1);
  out.stepped = await answers(p);
  await picture(p, "stepped");
  await ask(p, "No");
  await sees(p, "look →");
  await press(p, "Cancel");
  await ended(p, "interrupted");
}

try {
  await conversation();
  await refusal();
  await approval();
  await steps(joins === "joins");
} catch (err) {
  out.problems.push(err.stack);
}
await browser.close();
console.log(JSON.stringify(out));
