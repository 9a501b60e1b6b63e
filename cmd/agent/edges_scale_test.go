package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/eval/jsonl"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/causal"
)

// counting counts a model's calls at the same time.
type counting struct {
	llm.Model
	mu        sync.Mutex
	now, peak int
}

func (c *counting) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	c.mu.Lock()
	c.now++
	c.peak = max(c.peak, c.now)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now--
	}()
	time.Sleep(time.Millisecond) // long enough for others to come
	return c.Model.Generate(ctx, req)
}

// 200 edges over the abstracts of SciFact, as drafted and with effects of other causes, are
// verified offline within a minute. No more calls run at the same time than the limit allows.
func TestTwoHundredEdges(t *testing.T) {
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("ASSAY_DATA does not name the folder of the data sets")
	}
	home, docs := t.TempDir(), t.TempDir()
	type abstract struct {
		ID    jsonl.Ident `json:"id"`
		Title string      `json:"title"`
		Text  string      `json:"text"`
	}
	err := jsonl.Each(t.Context(), filepath.Join(dir, "scifact", "corpus.jsonl.gz"), "id", nil, func(_ jsonl.Place, a abstract) error {
		return os.WriteFile(filepath.Join(docs, string(a.ID)+".md"), []byte("# "+strings.ReplaceAll(a.Title, "\n", " ")+"\n\n"+a.Text+"\n"), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	model := &counting{Model: offline.New(nil)}
	run := func(args ...string) *bytes.Buffer {
		a, stdout, stderr := clitest.App(home)
		a.Models[offline.Name] = func() llm.Model { return model }
		if code := execute(t.Context(), a, args); code != cli.ExitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
		return stdout
	}
	run("ingest", docs, "--corpus", "abstracts")
	var draft struct{ Edges []causal.Edge }
	if err := json.Unmarshal(run("edges", "draft", docs).Bytes(), &draft); err != nil {
		t.Fatal(err)
	}
	edges := draft.Edges
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	const n = 200
	edges = edges[:n]
	dealt := make([]causal.Edge, n)
	for i, e := range edges {
		dealt[i] = e
		dealt[i].ToVar = edges[(i+37)%n].ToVar
	}
	config := writeConfig(t, "model_limits:\n  concurrency: 5\n")
	for _, c := range []struct {
		name  string
		edges []causal.Edge
	}{{"as drafted", edges}, {"dealt", dealt}} {
		name := c.name
		data, err := json.Marshal(c.edges)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(home, "edges.json")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		model.peak = 0
		began := time.Now()
		var answer causal.Answer
		if err := json.Unmarshal(run("edges", "verify", file, "--corpus", "abstracts", "--config", config, "--json").Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		t.Log(name, answer.Answer.Answer, took.Round(time.Millisecond), fmt.Sprintf("%d at once", model.peak))
		if took > time.Minute || len(answer.Edges) != n {
			t.Errorf("%s: %d edges took %v", name, len(answer.Edges), took)
		}
		if model.peak > 5 || model.peak < 2 {
			t.Errorf("%s: %d calls at once; the limit is 5", name, model.peak)
		}
	}
}
