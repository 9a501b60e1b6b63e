package openai_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/internal/npmtest"
	"example.com/assay/serve"
)

// OpenAI's own client reads answers, streams and errors as it reads OpenAI's.
func TestOracle(t *testing.T) {
	oracle(t)
	const want = `{
		"models": ["parrot"], "one": "parrot",
		"whole": {
			"text": "“Über” 1: GRÜß 𝄞 GOTT", "finish": "stop", "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
			"annotations": [{"type": "url_citation", "url_citation": {"start_index": 10, "end_index": 21, "url": "d1", "title": "d1"},
				"assay": {"cited_text": "GRÜß 𝄞 GOTT", "doc": "d1", "path": "a/b.md", "start": 7, "end": 9}}]
		},
		"again": "“Über” 2: TWO",
		"tools": {"same": true, "ignored": ["tool_choice", "tools"]},
		"stream": {"same": true, "ends": ["stop"], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}},
		"helper": {"same": true, "cites": 1},
		"aborted": true,
		"broken": {"message": "running node \"parrot\" in step 2: running node \"say\" in step 1: it fails", "type": "server_error"},
		"errors": {
			"authentication": {"typed": true, "status": 401, "param": null, "code": "invalid_api_key", "type": "authentication_error"},
			"model": {"typed": true, "status": 404, "param": "model", "code": "model_not_found", "type": "invalid_request_error"},
			"field": {"typed": true, "status": 400, "param": "messages[0].content[0].type", "code": "unsupported_value", "type": "invalid_request_error"},
			"failing": {"typed": true, "status": 500, "param": null, "code": "run_error", "type": "server_error"},
			"full": {"typed": true, "status": 429, "param": null, "code": "rate_limit_exceeded", "type": "rate_limit_error"}
		}
	}`
	compare(t, driven(t, served(t, func(o *serve.Options) { o.Runs.AtOnce, o.Runs.Waiting = 1, 1 }), "drive.mjs"), want)
}

func oracle(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it installs packages of npm")
	}
}

// driven is what a script of the oracle's folder says of a server.
func driven(t *testing.T, s *server, script string) string {
	t.Helper()
	ctx, stop := contextOf(t)
	time.AfterFunc(time.Minute, stop)
	cmd := exec.CommandContext(ctx, "node", script, s.URL, token)
	cmd.Dir, cmd.Stderr = npmtest.Clients(t, "oracle"), os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func compare(t *testing.T, said, want string) {
	t.Helper()
	var got, wanted any
	for text, v := range map[string]*any{said: &got, want: &wanted} {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("- wanted, + what the client reads:\n%s", diff)
	}
}

// OpenAI's client and its agents read responses as they read OpenAI's.
func TestAgentsOracle(t *testing.T) {
	oracle(t)
	const want = `{
		"client": {
			"first": "“Über” 1: GRÜß 𝄞 GOTT", "second": "“Über” 2: TWO", "later": true, "items": ["two"], "removed": true, "gone": 404,
			"stream": {
				"types": ["created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done", "output_item.done", "completed"],
				"text": "Let me look.weather of Oslo. "
			},
			"helper": {"same": true, "items": ["Let me look.", "clerk.weather({\"town\":\"Oslo\"}) = weather of Oslo", "weather of Oslo. "]},
			"note": {"type": "url_citation", "start_index": 10, "end_index": 14, "url": "d1", "title": "d1", "assay": {"cited_text": "CITE", "doc": "d1", "path": "a/b.md", "start": 7, "end": 9}},
			"failed": {"status": 500, "code": "run_error"}, "endings": ["response.created", "response.in_progress", "response.failed"], "cancelled": "cancelled"
		},
		"agents": {
			"called": [], "parrot": "“Über” 1: ONE", "history": "“Über” 2: TWO", "chained": "“Über” 2: TWO", "over": "“Über” 1: ONE",
			"clerk": "weather of Oslo. ", "items": ["message_output_item", "tool_call_item", "message_output_item"], "spoken": "Let me look.weather of Oslo. ",
			"chat": "Let me look.\n\nweather of Oslo. ", "chatStreamed": "“Über” 1: ONE",
			"approvals": {
				"asked": ["mail", "mail"], "says": "mail of Oslo. mail of Oslo. ",
				"byPerson": {"waits": ["mail", "mail"], "says": "mail of Oslo. a person rejected this call. ", "more": "You said thanks after 5 messages."},
				"inConversation": {"waits": ["mail", "mail"], "says": "mail of Oslo. a person rejected this call. ", "more": "You said thanks after 5 messages."}
			}
		}
	}`
	compare(t, driven(t, servedAgent(t, nil), "agents.mjs"), want)
}
