package performance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	saved "example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	kept "example.com/assay/graph/store/memory"
	rows "example.com/assay/graph/store/sqlite"
	"example.com/assay/internal/npmtest"
	"example.com/assay/serve"
)

var turns = flag.Int("turns", 0, "how often each side runs each graph over HTTP, LangGraph's server included; 0 only checks")

// A lap is one run of a graph, by its caller's clock.
type lap struct {
	first, whole time.Duration // until the first event, and until the end
	events       int
}

// each is the time of an event behind the first, in nanoseconds.
func (l lap) each() float64 { return float64(l.whole-l.first) / float64(l.events-1) }

// A side runs a graph of some supersteps, on a new thread.
type side struct {
	name         string
	run          func(ctx context.Context, steps int) (lap, error)
	chains, long []lap
}

// servedLoop is long enough for its beginning not to matter. It runs in every fourth turn.
const servedLoop = 200

type tally struct {
	N    int `json:"n"`
	Upto int `json:"upto"`
}

// counting is a graph that counts: a step is a superstep, whose events are an update and a
// state.
func counting(t *testing.T) *graph.Compiled[tally] {
	n := graph.LastValue("n", func(s *tally) *int { return &s.N })
	upto := graph.LastValue("upto", func(s *tally) *int { return &s.Upto })
	g := graph.NewStateGraph(n, upto)
	g.AddNode("count", func(_ context.Context, s tally) (graph.Update[tally], error) {
		return graph.Update[tally]{n.Set(work(job{Count: s.N}))}, nil
	})
	g.AddEdge(graph.Start, "count")
	g.AddConditionalEdges("count", func(_ context.Context, s tally) (graph.Route, error) {
		if s.N >= s.Upto {
			return graph.To(graph.End), nil
		}
		return graph.To("count"), nil
	}, "count", graph.End)
	compiled, err := g.Compile(&graph.CompileOptions{Name: "count", RecursionLimit: 10 * loopSteps})
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// A keeping is where threads and records are kept. Events are always in a file.
type keeping struct {
	name  string
	saver graph.Checkpointer
	store store.Store
	log   *eventlog.Log
}

func keepings(t *testing.T) []keeping {
	folder := t.TempDir()
	inMemory, err := kept.New(nil)
	threads, failed := sqlite.Open(t.Context(), filepath.Join(folder, "threads.db"), nil)
	err = errors.Join(err, failed)
	records, failed := rows.Open(t.Context(), filepath.Join(folder, "runs.db"), nil)
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	list := []keeping{{"memory", saved.New(), inMemory, nil}, {"SQLite", threads, records, nil}}
	closers := []io.Closer{threads, records}
	for i := range list {
		if list[i].log, err = eventlog.OpenFile(t.Context(), filepath.Join(folder, list[i].name+"-events.db")); err != nil {
			t.Fatal(err)
		}
		closers = append(closers, list[i].log)
	}
	t.Cleanup(func() {
		for _, c := range closers {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return list
}

// inProcess runs the graph as a program does that has it, with the events that the server
// asks for.
func inProcess(t *testing.T, k keeping) side {
	app, n := counting(t).App().With(k.saver), 0
	return side{name: "in process, " + k.name, run: func(ctx context.Context, steps int) (l lap, err error) {
		n++
		began := time.Now()
		input := graph.Pursuit{Input: json.RawMessage(fmt.Sprintf(`[{"channel":"upto","op":"set","value":%d}]`, steps))}
		for ev, err := range app.Pursue(ctx, input, &graph.RunOptions{Thread: fmt.Sprintf("inside-%d", n), Modes: graph.Updates | graph.Values | graph.Checkpoints}) {
			if err != nil {
				return l, err
			}
			if l.first == 0 {
				l.first = time.Since(began)
			}
			if ev.Kind == graph.NodeUpdate || ev.Kind == graph.StateValue {
				l.events++
			}
		}
		l.whole = time.Since(began)
		return l, nil
	}}
}

// served runs the graph on a server of this process, over a socket.
func served(t *testing.T, k keeping) side {
	server, err := serve.New(t.Context(), serve.Options{
		Graphs: []serve.Graph{serve.Register("count", counting(t), nil)}, Checkpointer: k.saver, Store: k.store, Log: k.log, Open: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(nil)
	h.Config = server.HTTP()
	h.Start()
	t.Cleanup(func() {
		h.Close()
		server.Close(context.WithoutCancel(t.Context()))
	})
	return side{name: "server, " + k.name, run: over(h.URL)}
}

// over runs the graph on a server that speaks LangGraph's wire. Making the thread is not
// counted.
func over(url string) func(context.Context, int) (lap, error) {
	ask := func(ctx context.Context, path, body string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err == nil && answer.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(answer.Body) // what there is of it
			err = errors.Join(fmt.Errorf("%s: %s: %s", path, answer.Status, text), answer.Body.Close())
		}
		return answer, err
	}
	return func(ctx context.Context, steps int) (l lap, err error) {
		answer, err := ask(ctx, "/threads", "{}")
		if err != nil {
			return l, err
		}
		var thread struct {
			ID string `json:"thread_id"`
		}
		if err := errors.Join(json.NewDecoder(answer.Body).Decode(&thread), answer.Body.Close()); err != nil {
			return l, err
		}
		body := fmt.Sprintf(`{"assistant_id":"count","input":{"upto":%d},"stream_mode":["values","updates"],"config":{"recursion_limit":%d}}`, steps, 10*servedLoop)
		began := time.Now()
		if answer, err = ask(ctx, "/threads/"+thread.ID+"/runs/stream", body); err != nil {
			return l, err
		}
		var last []byte
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			switch line := lines.Bytes(); {
			case bytes.HasPrefix(line, []byte("event: ")):
				if l.first == 0 {
					l.first = time.Since(began)
				}
				if !bytes.HasSuffix(line, []byte("metadata")) {
					l.events++
				}
			case bytes.HasPrefix(line, []byte("data: ")):
				last = append(last[:0], line...)
			}
		}
		l.whole = time.Since(began)
		if err := errors.Join(lines.Err(), answer.Body.Close()); err != nil {
			return l, err
		}
		if !bytes.Contains(last, fmt.Appendf(nil, `"n":%d`, steps)) {
			return l, fmt.Errorf("the last event of %d steps is %s", steps, last)
		}
		return l, nil
	}
}

// reference is LangGraph's own development server, with the packages of serve/langgraph/oracle,
// which are installed once. It is not ok without npm.
func reference(t *testing.T) (s side, ok bool) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Log("LangGraph's server needs npm")
		return s, false
	}
	dir := npmtest.Clients(t, filepath.Join("..", "..", "serve", "langgraph", "oracle"))
	for name, text := range map[string]string{
		"graphs.mjs": `import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
const State = Annotation.Root({ n: Annotation({ reducer: (_, b) => b, default: () => 0 }), upto: Annotation() });
export const count = new StateGraph(State)
  .addNode("count", async (s) => ({ n: s.n + 1 }))
  .addEdge(START, "count")
  .addConditionalEdges("count", (s) => (s.n >= s.upto ? END : "count"), ["count", END])
  .compile();
`,
		"langgraph.json": `{"node_version":"20","dependencies":["."],"graphs":{"count":"./graphs.mjs:count"},"env":{}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return side{name: "LangGraph.js's development server, memory", run: over(npmtest.LangGraph(t, dir))}, true
}

// All sides run the same graph, and see the same events. With -turns they are measured in turn,
// and a table is printed.
func TestServed(t *testing.T) {
	var sides []side
	for _, k := range keepings(t) {
		sides = append(sides, inProcess(t, k), served(t, k))
	}
	ours := len(sides)
	warming := 1
	if *turns > 0 {
		warming = 5
		if s, ok := reference(t); ok {
			sides = append(sides, s)
		}
	}
	for turn := range *turns + warming {
		for i := range sides {
			s := &sides[i]
			l, err := s.run(t.Context(), chainLength)
			if err != nil || i < ours && l.events != 2*chainLength+1 || l.first <= 0 || l.whole < l.first {
				t.Fatalf("%s: %+v, %v", s.name, l, err)
			}
			if turn < warming {
				continue
			}
			s.chains = append(s.chains, l)
			if i < ours && turn%4 == 0 { // it takes LangGraph's server too long
				if l, err = s.run(t.Context(), servedLoop); err != nil {
					t.Fatalf("%s: %v", s.name, err)
				}
				s.long = append(s.long, l)
			}
		}
	}
	if *turns == 0 {
		return
	}
	fmt.Printf("| | first event, p50 (p95) | chain of %d, whole run, p50 (p95) | loop of %d, per event | events of the chain |\n|---|---|---|---|---|\n", chainLength, servedLoop)
	for _, s := range sides {
		loop := "–"
		if len(s.long) > 0 {
			loop = fmt.Sprintf("%.3g µs", quantile(s.long, .5, lap.each)/1000)
		}
		fmt.Printf("| %s | %s | %s | %s | %d |\n", s.name, spread(s.chains, func(l lap) time.Duration { return l.first }), spread(s.chains, func(l lap) time.Duration { return l.whole }), loop, s.chains[0].events)
	}
	for i := 0; i < ours; i += 2 {
		var more []float64 // pairs of the same turn
		for at, l := range sides[i+1].long {
			more = append(more, l.each()-sides[i].long[at].each())
		}
		of := func(p float64) float64 { return quantile(more, p, func(v float64) float64 { return v }) / 1000 }
		fmt.Printf("\n%s: an event of the loop costs %.3g µs more than in process (quartiles %.3g and %.3g, %d pairs).\n", sides[i+1].name, of(.5), of(.25), of(.75), len(more))
	}
}

// spread is the median and the 95th percentile of some laps.
func spread(laps []lap, of func(lap) time.Duration) string {
	at := func(p float64) time.Duration {
		return time.Duration(quantile(laps, p, func(l lap) float64 { return float64(of(l)) })).Round(time.Microsecond)
	}
	return fmt.Sprintf("%v (%v)", at(.5), at(.95))
}

func quantile[T any](list []T, p float64, of func(T) float64) float64 {
	var all []float64
	for _, v := range list {
		all = append(all, of(v))
	}
	slices.Sort(all)
	return all[int(float64(len(all))*p)]
}
