package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/internal/npmtest"
)

// The page sends a message, shows what the agent asks, and shows its answer after a click.
func TestPage(t *testing.T) {
	for _, file := range []string{"server.go", "page.tsx"} {
		data, err := os.ReadFile(file)
		if n := strings.Count(string(data), "\n"); err != nil || n > 60 {
			t.Errorf("%s has %d lines, and 60 are promised: %v", file, n, err)
		}
	}
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it makes this test install React and open the page")
	}
	var asked atomic.Int32
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pieces, reason := []string{`"content":"Paid: "`, `"content":"receipt R-1."`}, "stop"
		if asked.Add(1) == 1 {
			pieces, reason = []string{`"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"pay","arguments":"{\"to\":\"Printer Ltd\",\"euros\":40}"}}]`}, "tool_calls"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		const frame = "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-4.1-mini\",\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":%s}]}\n\n"
		for _, piece := range pieces {
			fmt.Fprintf(w, frame, piece, "null")
		}
		fmt.Fprintf(w, frame+"data: [DONE]\n\n", "", `"`+reason+`"`)
	}))
	defer model.Close()
	t.Setenv("OPENAI_API_KEY", "test-key-of-eight")
	t.Setenv("OPENAI_BASE_URL", model.URL)
	free := httptest.NewServer(nil) // finds a free port
	addr := strings.TrimPrefix(free.URL, "http://")
	free.Close()
	dir := npmtest.Clients(t, ".")
	go func() { t.Log(run(context.Background(), addr, t.TempDir())) }()
	for range 100 {
		if answer, err := http.Get("http://" + addr + "/ok"); err == nil {
			_ = answer.Body.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", "drive.mjs", "http://"+addr)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	const want = `{"asked":["pay {\"to\":\"Printer Ltd\",\"euros\":40}"],"human":["Pay the printer."],"ai":["Paid: receipt R-1."],"tool":["paid, receipt R-1"],"alerts":[]}`
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("%v: the page shows\n%s\nwant\n%s", err, got, want)
	}
}
