// A page for the agent of server.go: messages, and buttons for what waits for a person.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { useStream } from "@langchain/langgraph-sdk/react";
import type { Message } from "@langchain/langgraph-sdk";

type Call = { name: string; args: Record<string, unknown>; description: string };
type Ask = { action_requests: Call[] };

function Chat({ apiUrl }: { apiUrl: string }) {
  const [text, setText] = useState("");
  const agent = useStream<{ messages: Message[] }, { InterruptType: Ask }>({ apiUrl, assistantId: "agent" });
  const decide = (type: "approve" | "reject") => {
    const decisions = agent.interrupt!.value!.action_requests.map(() => ({ type }));
    agent.submit(undefined, { command: { resume: { decisions } } });
  };
  return (
    <main>
      {agent.messages.map((m) => (
        <p key={m.id} className={m.type}>
          {m.content as string}
        </p>
      ))}
      {agent.interrupt?.value?.action_requests.map((call, i) => (
        <pre key={i}>
          {call.name} {JSON.stringify(call.args)}
        </pre>
      ))}
      {agent.interrupt && (
        <div>
          <button onClick={() => decide("approve")}>Approve</button>
          <button onClick={() => decide("reject")}>Reject</button>
        </div>
      )}
      <form
        onSubmit={(e) => {
          e.preventDefault();
          agent.submit({ messages: [{ type: "human", content: text }] });
          setText("");
        }}
      >
        <input value={text} onChange={(e) => setText(e.target.value)} />
        <button disabled={agent.isLoading}>Send</button>
      </form>
      {agent.error ? <p role="alert">{String(agent.error)}</p> : null}
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<Chat apiUrl="http://127.0.0.1:2024" />);
