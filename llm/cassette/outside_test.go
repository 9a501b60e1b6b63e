package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/llm/cassette"
	"example.com/assay/llm/llmtest"
)

// taped is what records calls of servers, and answers them.
type taped interface {
	Outside(ctx context.Context, server, method string, params json.RawMessage, live func(context.Context) (json.RawMessage, error)) (json.RawMessage, error)
}

func live(text string, err error) func(context.Context) (json.RawMessage, error) {
	return func(context.Context) (json.RawMessage, error) { return json.RawMessage(text), err }
}

// A file holds calls of models and of servers side by side. A replay gives both back, and
// calls no server.
func TestOutside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.jsonl")
	rec, err := cassette.Record(file, &cassette.RecordOptions{Secrets: []string{"hunter2hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(to taped, params string, l func(context.Context) (json.RawMessage, error)) (string, error) {
		out, err := to.Outside(t.Context(), "files", "tools/call", json.RawMessage(params), l)
		return string(out), err
	}
	ask(t, rec.Wrap(scripted(llmtest.Answer{Text: "a"})), user("s", "one"))
	for i, want := range []string{`{"n":1,"big":12345678901234567890}`, `{"n":2}`} {
		if got, err := call(rec, `{"path": "a", "key": "hunter2hunter2"}`, live(want, nil)); got != want || err != nil {
			t.Fatalf("call %d: %s, %v", i, got, err)
		}
	}
	if _, err := call(rec, `{"path":"b"}`, live("", errors.New("the server hangs; Bearer abcdefghijkl"))); err == nil {
		t.Fatal("the error was lost")
	}
	ended, cancel := context.WithCancel(t.Context())
	if _, err := rec.Outside(ended, "files", "tools/call", nil, func(context.Context) (json.RawMessage, error) { cancel(); return nil, context.Canceled }); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled call: %v", err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "hunter2") || strings.Contains(string(data), "abcdefghijkl") || strings.Count(string(data), "\n") != 6 {
		t.Fatalf("recorded %s, %v", data, err)
	}

	player := replay(t, file)
	never := func(context.Context) (json.RawMessage, error) { t.Error("a replay called the server"); return nil, nil }
	for _, want := range []string{`{"n":1,"big":12345678901234567890}`, `{"n":2}`} { // in their order
		if got, err := call(player, `{"key":"hunter2hunter2","path":"a"}`, never); got != want || err != nil {
			t.Errorf("replayed %s, %v; want %s", got, err, want)
		}
	}
	if left := player.Unused(); len(left) != 2 || !strings.Contains(left[1], `tools/call of the server "files"`) {
		t.Errorf("unused: %q", left)
	}
	if _, err := call(player, `{"path":"b"}`, never); err == nil || !strings.Contains(err.Error(), "the server hangs") {
		t.Errorf("the recorded error: %v", err)
	}
	unknown := new(*cassette.UnknownCallError)
	if _, err := call(player, `{"path":"a","key":"hunter2hunter2"}`, never); !errors.As(err, unknown) || (*unknown).Used != 2 {
		t.Errorf("a third call: %v", err)
	}
	if _, err := call(player, `{"path":"c"}`, never); !errors.As(err, unknown) || (*unknown).Used != 0 || !strings.Contains(err.Error(), `"path":"c"`) {
		t.Errorf("a call that was not recorded: %v", err)
	}
	ask(t, player, user("s", "one"))
	if left := player.Unused(); left != nil {
		t.Errorf("unused: %q", left)
	}
	if _, err := player.Generate(t.Context(), user("other", "x")); err == nil || !strings.Contains(err.Error(), "the nearest is call 1") {
		t.Errorf("the nearest recording of a model's request: %v", err)
	}
}
