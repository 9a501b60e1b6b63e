package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	saved "example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	kept "example.com/assay/graph/store/memory"
	rows "example.com/assay/graph/store/sqlite"
	"example.com/assay/serve"
)

// A lap is one run of a graph, by its caller's clock.
type lap struct {
	first, whole time.Duration // until the first event, and until the end
	events       int
}

// A side runs a graph of some supersteps, on a new thread.
type side struct {
	name string
	run  func(ctx context.Context, steps int) (lap, error)
}

// servedSteps are the supersteps of the runs: a chain's, and those of a loop that is long
// enough for its beginning not to matter. The loop runs in every fourth turn.
var servedSteps = []int{chainLength, servedLoop}

const (
	servedLoop  = 200
	servedTurns = 20 // in a round
)

type tally struct {
	N    int `json:"n"`
	Upto int `json:"upto"`
}

// counting is a graph that counts: a step is a superstep, whose events are an update and a
// state.
func counting() (*graph.Compiled[tally], error) {
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
	return g.Compile(&graph.CompileOptions{Name: "count", RecursionLimit: 10 * loopSteps})
}

// A keeping is where threads, records and events are kept. Events are in a file always.
type keeping struct {
	name  string
	saver graph.Checkpointer
	store store.Store
	log   *eventlog.Log
}

func keepings(ctx context.Context, folder string) (list []keeping, done func() error, err error) {
	var open []io.Closer
	done = func() error {
		var errs []error
		for _, c := range slices.Backward(open) {
			errs = append(errs, c.Close())
		}
		return errors.Join(errs...)
	}
	inMemory, err := kept.New(nil)
	if err != nil {
		return nil, done, err
	}
	list = []keeping{{"memory", saved.New(), inMemory, nil}, {name: "SQLite"}}
	threads, err := sqlite.Open(ctx, filepath.Join(folder, "threads.db"), nil)
	if err != nil {
		return nil, done, err
	}
	open = append(open, threads)
	records, err := rows.Open(ctx, filepath.Join(folder, "runs.db"), nil)
	if err != nil {
		return nil, done, err
	}
	open = append(open, records)
	list[1].saver, list[1].store = threads, records
	for i := range list {
		if list[i].log, err = eventlog.OpenFile(ctx, filepath.Join(folder, list[i].name+"-events.db")); err != nil {
			return nil, done, err
		}
		open = append(open, list[i].log)
	}
	return list, done, nil
}

// inProcess runs the graph as a program does that has it, with the events that the server
// asks for.
func inProcess(k keeping) (side, error) {
	compiled, err := counting()
	if err != nil {
		return side{}, err
	}
	app, n := compiled.App().With(k.saver), 0
	return side{"in process, " + k.name, func(ctx context.Context, steps int) (l lap, err error) {
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
	}}, nil
}

// served runs the graph on a server of this process, over a socket.
func served(ctx context.Context, k keeping) (s side, stop func() error, err error) {
	compiled, err := counting()
	if err != nil {
		return s, nil, err
	}
	server, err := serve.New(ctx, serve.Options{
		Graphs: []serve.Graph{serve.Register("count", compiled, nil)}, Checkpointer: k.saver, Store: k.store, Log: k.log, Open: true,
	})
	if err != nil {
		return s, nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		server.Close(ctx)
		return s, nil, err
	}
	h := server.HTTP()
	go func() { _ = h.Serve(l) }() // until it is closed
	return side{"server, " + k.name, over("http://" + l.Addr().String())}, func() error {
		err := h.Close()
		server.Close(ctx)
		return err
	}, nil
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

// compareServers measures all sides in turn, and prints a table.
func compareServers(ctx context.Context, rounds int, out, log io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "assay-served")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	list, done, err := keepings(ctx, folder)
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return err
	}
	var sides []side
	for _, k := range list {
		in, err := inProcess(k)
		if err != nil {
			return err
		}
		on, stop, err := served(ctx, k)
		if err != nil {
			return err
		}
		defer func() { _ = stop() }() // nothing is kept
		sides = append(sides, in, on)
	}
	other, stop, reason := referenceServer(ctx, folder, log)
	defer stop()
	if reason == "" {
		sides = append(sides, other)
	}
	laps := make([][2][]lap, len(sides))
	for round := range rounds*servedTurns + 5 {
		for i, s := range sides {
			for j, steps := range servedSteps {
				if j > 0 && (round%4 != 0 || i == len(list)*2) {
					continue // it takes LangGraph's server too long
				}
				l, err := s.run(ctx, steps)
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				if round >= 5 { // before that it warms up
					laps[i][j] = append(laps[i][j], l)
				}
			}
		}
	}
	fmt.Fprintf(out, "| | first event, p50 (p95) | chain of %d, whole run, p50 (p95) | loop of %d, per event | events of the chain |\n|---|---|---|---|---|\n", chainLength, servedLoop)
	for i, s := range sides {
		long := "–"
		if len(laps[i][1]) > 0 {
			long = digits(median(each(laps[i][1]))/1000) + " µs"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %d |\n", s.name, spread(laps[i][0], func(l lap) time.Duration { return l.first }), spread(laps[i][0], func(l lap) time.Duration { return l.whole }), long, laps[i][0][0].events)
	}
	for i := 0; i+1 < 2*len(list); i += 2 {
		more := each(laps[i+1][1])
		for at, less := range each(laps[i][1]) { // of the same turn
			more[at] -= less
		}
		slices.Sort(more)
		fmt.Fprintf(out, "\n%s: an event of the loop costs %s µs more than in process (quartiles %s and %s, %d pairs).\n",
			sides[i+1].name, digits(median(more)/1000), digits(more[len(more)/4]/1000), digits(more[len(more)*3/4]/1000), len(more))
	}
	if reason != "" {
		fmt.Fprintf(out, "\nLangGraph's server: %s.\n", reason)
	}
	return nil
}

// spread is the median and the 95th percentile of some laps.
func spread(laps []lap, of func(lap) time.Duration) string {
	var all []float64
	for _, l := range laps {
		all = append(all, float64(of(l)))
	}
	slices.Sort(all)
	unit, name := unitOf(all[len(all)/2])
	return fmt.Sprintf("%s %s (%s)", digits(all[len(all)/2]/unit), name, digits(all[len(all)*95/100]/unit))
}

// each is the time of an event behind the first, in nanoseconds, of each lap.
func each(laps []lap) []float64 {
	var all []float64
	for _, l := range laps {
		all = append(all, float64(l.whole-l.first)/float64(l.events-1))
	}
	return all
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
