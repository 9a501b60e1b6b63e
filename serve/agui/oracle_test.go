package agui_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/internal/npmtest"
)

// driven is what a script's client reads of the server.
func driven(t *testing.T, dir, script string) (got any) {
	t.Helper()
	s := served(t)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", script, s.URL, token)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "COPILOTKIT_TELEMETRY_DISABLED=true")
	data, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

const turns = `"user:u1 reasoning:a-u1-reasoning-0 assistant:a-u1look{\"q\":1} tool:t-u1 assistant:b-u1 user:u2 assistant:b-u2"`

// oracles are the scripts, and what their clients must read.
var oracles = map[string]string{
	"drive.mjs": `{
		"turn": {"new": "reasoning:a-u1-reasoning-0 assistant:a-u1look{\"q\":1} tool:t-u1 assistant:b-u1", "cites": 1,
			"state": {"topic": "a long topic, so that changes are short", "notes": ["a note, which is long enough", "tool"]}},
		"conversation": {"messages": ` + turns + `, "last": "You said hello.",
			"state": {"topic": "another long topic, so that changes are short", "notes": ["a note, which is long enough", "tool", "hello"]}},
		"joined": {"messages": ` + turns + `,
			"state": {"topic": "another long topic, so that changes are short", "notes": ["a note, which is long enough", "tool", "hello"]}},
		"asked": [{"reason": "tool_call", "message": "look it up", "toolCallId": "c-u1"}],
		"uncovered": "Thread has 1 pending interrupt(s) not addressed by resume: ID",
		"approved": {"open": 0, "result": "edit {\"q\":2}",
			"messages": "user:u1 reasoning:a-u1-reasoning-0 assistant:a-u1look{\"q\":1} tool:t-u1 assistant:b-u1"},
		"failed": {"code": "run_error", "message": "running node \"model\" in step 1: it fails"},
		"nobody": "HTTP 404: {\"detail\":\"there is no graph \\\"nobody\\\"\"}",
		"stopped": "user:u1 user:u2 assistant:b-u2",
		"kinds": "CUSTOM MESSAGES_SNAPSHOT REASONING_ENCRYPTED_VALUE REASONING_END REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END ` +
		`REASONING_MESSAGE_START REASONING_START RUN_ERROR RUN_FINISHED RUN_STARTED STATE_DELTA STATE_SNAPSHOT STEP_FINISHED STEP_STARTED ` +
		`TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TEXT_MESSAGE_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TOOL_CALL_START",
		"invalid": 0, "warnings": []
	}`,
	"copilot.mjs": `{
		"first": {"messages": "user:u1 reasoning:a-u1-reasoning-0 assistant:a-u1 tool:t-u1 assistant:b-u1",
			"state": {"topic": "", "notes": ["a note, which is long enough", "tool"]}},
		"asked": [{"reason": "tool_call", "message": "look it up", "toolCallId": "c-u2"}],
		"approved": {"open": 0, "messages": ` + copilot + `}, "joined": ` + copilot + `,
		"stopped": "user:u1 user:u2 assistant:b-u2", "warnings": []
	}`,
}

const copilot = `"user:u1 reasoning:a-u1-reasoning-0 assistant:a-u1 tool:t-u1 assistant:b-u1 ` +
	`user:u2 reasoning:a-u2-reasoning-0 assistant:a-u2 tool:t-u2 assistant:b-u2"`

// AG-UI's own client, and CopilotKit's with its runtime, have what the thread has, and find no event
// against the schemas of the protocol.
func TestOracle(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it installs packages of npm")
	}
	dir := npmtest.Clients(t, "oracle")
	for script, want := range oracles {
		var wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, driven(t, dir, script)); diff != "" {
			t.Errorf("%s: - wanted, + what the client reads:\n%s", script, diff)
		}
	}
}
