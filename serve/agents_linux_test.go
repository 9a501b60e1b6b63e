package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/react"
)

// Rounds of a clerk's turn, and calls of each.
const (
	clerkRounds = 3
	clerkCalls  = 2
)

// A clerk calls the tool "book" twice in each of three rounds, and then answers.
type clerk struct{}

func (clerk) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	round, order := 0, ""
	for _, m := range req.Messages {
		switch m.Role {
		case llm.User:
			order = m.Text
		case llm.ToolRole:
			round++
		}
	}
	if round == clerkRounds {
		return llm.Response{Text: "All is booked."}, nil
	}
	var resp llm.Response
	for n := range clerkCalls {
		id := fmt.Sprintf("%d.%d", round, n)
		resp.Calls = append(resp.Calls, llm.ToolCall{ID: id, Name: "book", Arguments: json.RawMessage(fmt.Sprintf(`{"entry":"%s/%s"}`, order, id))})
	}
	return resp, nil
}

// clerks is the agent. Its tool writes each entry into a file, which shows what is booked twice.
func clerks(folder string) *graph.Compiled[react.State] {
	book, err := llm.NewTool("book", "Books an entry.", func(ctx context.Context, in struct {
		Entry string `json:"entry"`
	}) (string, error) {
		file, err := os.OpenFile(filepath.Join(folder, "booked"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		defer file.Close()
		if _, err := fmt.Fprintln(file, in.Entry); err != nil {
			return "", err
		}
		select {
		case <-time.After(50 * time.Millisecond):
			return "booked", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	if err != nil {
		panic(err)
	}
	g, err := react.New(clerk{}, []react.Tool{{Callable: book, Once: true}}, nil)
	if err != nil {
		panic(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "clerk"})
	if err != nil {
		panic(err)
	}
	return app
}

// A server with very many agents is killed again and again. Each run ends once, with the result of
// each call or the word that it was cut off, and nothing is booked twice.
func TestKilledAgents(t *testing.T) {
	clients, kills, pause := load(40, 200), load(3, 30), time.Duration(load(1500, 10_000))*time.Millisecond
	o := childOptions{Folder: t.TempDir(), AtOnce: clients}
	c := startChild(t, o)
	var url atomic.Value
	url.Store(c.url)
	var over atomic.Bool
	var all sync.WaitGroup
	var mu sync.Mutex
	ended, cut, faults := 0, 0, []string(nil)
	for i := range clients {
		all.Go(func() {
			client := many()
			for n := 0; !over.Load(); n++ {
				f := &follower{client: client, url: &url}
				order := fmt.Sprintf("%d-%d", i, n) // another one for each try: a lost answer may have begun a run
				place, err := f.beginOnce(fmt.Sprintf(`{"assistant_id":"clerk","input":{"messages":[{"role":"user","content":%q}]},"stream_mode":["values"]}`, order))
				if err != nil {
					time.Sleep(20 * time.Millisecond)
					continue
				}
				f.follow(place)
				var last struct {
					Messages []struct {
						Type, Content, Status string
					} `json:"messages"`
				}
				err = json.Unmarshal([]byte(f.values), &last)
				mu.Lock()
				ended++
				if count := len(last.Messages); err != nil || count != 2+clerkRounds*(1+clerkCalls) || last.Messages[count-1].Content != "All is booked." || len(f.faults) > 0 {
					faults = append(faults, fmt.Sprintf("%s: %v %v %.400s", place, err, f.faults, f.values))
				}
				for _, m := range last.Messages {
					if m.Status == "error" {
						cut++
					}
				}
				mu.Unlock()
			}
		})
	}
	for range kills {
		time.Sleep(pause)
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.cmd.Wait() // it was killed
		c = startChild(t, o)
		url.Store(c.url)
	}
	over.Store(true)
	all.Wait()
	c.end(t)
	booked, err := os.ReadFile(filepath.Join(o.Folder, "booked"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for entry := range strings.Lines(string(booked)) {
		if seen[entry] {
			t.Errorf("%s was booked twice", strings.TrimSpace(entry))
		}
		seen[entry] = true
	}
	for _, f := range faults[:min(5, len(faults))] {
		t.Error(f)
	}
	t.Logf("%d agents at once, %d kills, %d runs, %d entries, %d calls cut off, %d runs with faults", clients, kills, ended, len(seen), cut, len(faults))
	if ended < clients || cut == 0 {
		t.Errorf("only %d runs ended, and %d calls were cut off: nothing was tested", ended, cut)
	}
}
