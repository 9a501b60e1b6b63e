package a2a_test

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

// The protocol's own client for JavaScript reads cards, tasks, streams and errors.
func TestOracle(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it installs packages of npm")
	}
	dir := npmtest.Clients(t, "oracle")
	s := served(t, nil)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", "drive.mjs", s.URL, annToken)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	const want = `{
		"card": {"name": "desk", "skills": [2], "interfaces": [["JSONRPC", "1.0"]], "push": true},
		"one": {"state": "COMPLETED", "answer": "They said: GRÜß GOTT", "data": ["run_id", "said"], "cites": ["GRÜß GOTT"], "history": 1},
		"asks": {"state": "INPUT_REQUIRED", "asks": ["Who is it?"], "same": true},
		"answered": {"state": "COMPLETED", "same": true, "answer": "They said: it is ann",
			"history": [["ROLE_USER", "ask"], ["ROLE_AGENT", "Who is it?"], ["ROLE_USER", "ann"]]},
		"subscription": ["task INPUT_REQUIRED", "They said: it is ann.", "COMPLETED"],
		"voted": {"state": "COMPLETED", "data": [1, 2]},
		"stream": ["task SUBMITTED", "WORKING", "Once ", "+upon ", "+a time", "Once upon a time.", "COMPLETED"],
		"waiting": [true, 0], "canceled": "CANCELED", "got": "COMPLETED",
		"list": {"size": 1, "total": 2, "next": true, "first": true, "artifacts": 0},
		"pushes": ["p", "c", 1, 0],
		"errors": {
			"stranger": "JsonRpcTaskNotFoundError -32001", "token": "Error HTTP error for GetTask! Status: 401", "again": "JsonRpcTaskNotCancelableError -32002",
			"ended": "JsonRpcUnsupportedOperationError -32004", "subscribed": "JsonRpcUnsupportedOperationError -32004",
			"file": "JsonRpcContentTypeNotSupportedError -32005", "role": "JsonRpcRequestMalformedError -32602",
			"push": "JsonRpcRequestMalformedError -32602", "unpushed": "JsonRpcTaskNotFoundError -32001"
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
