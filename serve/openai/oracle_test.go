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
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it installs packages of npm")
	}
	dir := npmtest.Clients(t, "oracle")
	s := served(t, func(o *serve.Options) { o.Runs.AtOnce, o.Runs.Waiting = 1, 1 })
	ctx, stop := contextOf(t)
	time.AfterFunc(time.Minute, stop)
	cmd := exec.CommandContext(ctx, "node", "drive.mjs", s.URL, token)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
		"models": ["parrot"], "one": "parrot",
		"whole": {
			"text": "“Über” 1: GRÜß 𝄞 GOTT", "finish": "stop", "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
			"annotations": [{"type": "url_citation", "url_citation": {"start_index": 10, "end_index": 21, "url": "d1", "title": "d1"},
				"assay": {"cited_text": "GRÜß 𝄞 GOTT", "doc": "d1", "path": "a/b.md", "start": 7, "end": 9}}]
		},
		"again": "“Über” 2: TWO",
		"stream": {"same": true, "ends": ["stop"], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}},
		"helper": {"same": true, "cites": 1},
		"aborted": true,
		"broken": {"message": "running node \"parrot\" in step 2: running node \"say\" in step 1: it fails", "type": "server_error"},
		"errors": {
			"authentication": {"typed": true, "status": 401, "param": null, "code": "invalid_api_key", "type": "authentication_error"},
			"model": {"typed": true, "status": 404, "param": "model", "code": "model_not_found", "type": "invalid_request_error"},
			"field": {"typed": true, "status": 400, "param": "tools", "code": "unsupported_value", "type": "invalid_request_error"},
			"failing": {"typed": true, "status": 500, "param": null, "code": "run_error", "type": "server_error"},
			"full": {"typed": true, "status": 429, "param": null, "code": "rate_limit_exceeded", "type": "rate_limit_error"}
		}
	}`
	var got, wanted any
	for text, v := range map[string]*any{string(data): &got, want: &wanted} {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("- wanted, + what the client reads:\n%s", diff)
	}
}
