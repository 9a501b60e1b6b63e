// What the scripts that drive a server have in common.
export const url = process.argv[2];

// What a server says of itself, and of the client that it has heard.
const noise = new Set([
  "created_by", "langgraph_api_url", "langgraph_host", "langgraph_plan", "langgraph_version", "ls_integration", "ls_provider", "versions", "run_attempt", "user-agent",
]);

// What differs between runs of one server is replaced: IDs by their order in the scenario.
// A checkpoint has its ID within its namespace.
const normalised = (value) => {
  const ids = new Map();
  const name = (kind, id) => {
    if (!ids.has(id)) ids.set(id, `${kind}-${ids.size + 1}`);
    return ids.get(id);
  };
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const text = (v) => {
    if (/^\d{4}-\d\d-\d\dT/.test(v)) return "time";
    if (/^[0-9a-f]{32}$/.test(v)) return name("interrupt", v);
    return v.replace(uuid, (id) => name("id", id));
  };
  const walk = (v, ns) => {
    if (typeof v === "string") return text(v);
    if (v === null || typeof v !== "object") return v;
    if (Array.isArray(v)) {
      const [, around] = typeof v[0] === "string" && v.length === 2 ? v[0].split(/\|(.*)/) : [];
      return v.map((e) => walk(e, around ?? ""));
    }
    ns = v.checkpoint_ns ?? (Array.isArray(v.namespace) ? v.namespace.join("|") : ns);
    const checkpoint = (id, at) => (typeof id === "string" ? name("checkpoint", `${at} ${id}`) : walk(id));
    const envelope = ("source" in v && "step" in v) || "ns" in v;
    const message = ("type" in v && "content" in v) || v.event === "message-finish";
    const empty = (e) => e !== null && typeof e === "object" && Object.keys(e).length === 0;
    const of = (key) => {
      if (key === "checkpoint_map" || key === "parents") {
        return v[key] && Object.fromEntries(Object.entries(v[key]).map(([at, id]) => [text(at), checkpoint(id, at)]));
      }
      if (key === "checkpoint_id" || (envelope && (key === "id" || key === "parent_id"))) return checkpoint(v[key], ns);
      return walk(v[key], ns);
    };
    const keys = Object.keys(v).sort().filter((k) => !noise.has(k) && !(k === "checkpoint_map" && v[k] === null) && !(message && empty(v[k])));
    return Object.fromEntries(keys.map((k) => [text(k), of(k)]));
  };
  return walk(value, "");
};

// run carries out the scenarios, or one that the command line names, and prints what they
// return.
export const run = async (scenarios) => {
  const out = {};
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (process.argv[3] && process.argv[3] !== name) continue;
    try {
      out[name] = normalised(await scenario());
    } catch (e) {
      out[name] = { failed: String(e.stack ?? e) };
    }
  }
  process.stdout.write(JSON.stringify(out, null, 1), () => process.exit(0));
};
