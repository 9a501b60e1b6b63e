// Opens page.tsx as a browser does, and uses it: node drive.mjs URL.
import { JSDOM } from "jsdom";
import { buildSync } from "esbuild";
import { writeFileSync } from "node:fs";

const { window } = new JSDOM('<!doctype html><body><div id="root"></div></body>', { url: "http://localhost:5173/" });
globalThis.window = window;
globalThis.document = window.document;
globalThis.IS_REACT_ACT_ENVIRONMENT = false;
const built = buildSync({ entryPoints: ["page.tsx"], bundle: true, write: false, format: "esm", platform: "node", packages: "external", jsx: "automatic" });
writeFileSync("page.mjs", built.outputFiles[0].text.replace("http://127.0.0.1:2024", process.argv[2]));
await import("./page.mjs");

const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent);
const until = async (what, test) => {
  for (let i = 0; i < 400; i++) {
    if (test()) return;
    await new Promise((r) => setTimeout(r, 25));
  }
  throw new Error(`${what} does not come: ${document.body.innerHTML}`);
};
const button = (name) => [...document.querySelectorAll("button")].find((b) => b.textContent === name);

await until("the form", () => document.querySelector("input"));
const input = document.querySelector("input");
Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, "value").set.call(input, "Pay the printer.");
input.dispatchEvent(new window.Event("input", { bubbles: true }));
await until("the text", () => input.value === "Pay the printer.");
button("Send").click();
await until("the question", () => button("Approve"));
const asked = texts("pre");
button("Approve").click();
await until("the answer", () => texts("p.ai").some((t) => t.includes("R-1")));
console.log(JSON.stringify({ asked, human: texts("p.human"), ai: texts("p.ai").filter((t) => t), tool: texts("p.tool"), alerts: texts("[role=alert]") }));
process.exit(0);
