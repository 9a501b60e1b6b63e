// Builds the chat page that is in create-agent-chat-app, once, beside the packages, and
// prints the folder. With another folder it takes LangGraph's packages from there; the page
// then asks as agent-chat-ui does today, and joins a run again when it is loaded.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vite";

const current = process.argv[2] && realpathSync(join(process.argv[2], "node_modules"));
const packages = realpathSync("node_modules");
const key = createHash("sha256").update(readFileSync("build.mjs")).update(current ?? "").digest("hex");
const root = join(dirname(packages), `page-${key.slice(0, 12)}`);

function change(file, was, is) {
  const path = join(root, "src", file), text = readFileSync(path, "utf8");
  if (!text.includes(was)) throw new Error(`${file} has no ${was}`);
  writeFileSync(path, text.replaceAll(was, is));
}

if (!existsSync(join(root, "dist"))) {
  rmSync(root, { recursive: true, force: true });
  cpSync(join(packages, "create-agent-chat-app/templates/vite"), root, { recursive: true });
  if (current) {
    mkdirSync(join(root, "node_modules"));
    symlinkSync(join(current, "@langchain"), join(root, "node_modules/@langchain"));
    change("components/thread/index.tsx", 'streamMode: ["values"],', 'streamMode: ["values"], streamSubgraphs: true, streamResumable: true,');
    change("providers/Stream.tsx", "threadId: threadId ?? null,", "threadId: threadId ?? null, fetchStateHistory: true, reconnectOnMount: true,");
  }
  await build({
    root, logLevel: "error", configFile: join(root, "vite.config.ts"),
    resolve: { dedupe: ["react", "react-dom"] }, // beside LangGraph's current packages there is none
    build: { outDir: "part" },
  });
  renameSync(join(root, "part"), join(root, "dist"));
}
console.log(join(root, "dist"));
