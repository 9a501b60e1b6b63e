package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve"
	pages "example.com/assay/serve/page"
)

// childOptions configure the server of another process.
type childOptions struct {
	Folder string
	AtOnce int
	Page   bool
}

const childVariable = "ASSAY_TEST_SERVER"

type work struct {
	Lines  []string `json:"lines"`
	Wait   int      `json:"wait"`   // milliseconds in each node
	Tokens int      `json:"tokens"` // that each node emits, of a kilobyte
}

// ten is a graph of ten nodes, one after another.
func ten() *graph.Compiled[work] {
	lines := graph.Append("lines", func(s *work) *[]string { return &s.Lines })
	wait := graph.LastValue("wait", func(s *work) *int { return &s.Wait })
	tokens := graph.LastValue("tokens", func(s *work) *int { return &s.Tokens })
	g := graph.NewStateGraph(lines, wait, tokens)
	before, text := graph.Start, strings.Repeat("x", 1000)
	for i := range 10 {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, func(ctx context.Context, s work) (graph.Update[work], error) {
			for range s.Tokens {
				graph.EmitToken(ctx, text)
			}
			select {
			case <-time.After(time.Duration(s.Wait) * time.Millisecond):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return graph.Update[work]{lines.Add(name)}, nil
		})
		g.AddEdge(before, name)
		before = name
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "ten"})
	if err != nil {
		panic(err)
	}
	return app
}

// TestChild is the process that others start as a server: so its memory and its time are
// its own, and it can be killed. It lives until its input ends.
func TestChild(t *testing.T) {
	var in childOptions
	if text := os.Getenv(childVariable); text == "" {
		t.Skip("it is a part of other tests")
	} else if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	o, done, err := kept(in.Folder)
	if err != nil {
		t.Fatal(err)
	}
	o.Graphs, o.Open, o.Runs.AtOnce, o.Runs.Waiting = []serve.Graph{serve.Register("ten", ten(), nil), serve.Register("clerk", clerks(in.Folder), nil)}, true, in.AtOnce, 1<<20
	o.Runs.Warn = func(err error) { t.Error(err) }
	if in.Page {
		o.Page = &pages.Options{}
	}
	s, err := serve.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := s.HTTP()
	go func() { _ = server.Serve(l) }()
	fmt.Println("http://" + l.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin)
	stop, cancel := context.WithCancel(context.Background())
	cancel()
	s.Close(stop)
	if err := errors.Join(server.Close(), done()); err != nil {
		t.Error(err)
	}
}

// A child is a server in a process of its own.
type child struct {
	url string
	cmd *exec.Cmd
	in  io.Closer
	ran time.Duration // until it answered
}

// startChild starts a server. The caller ends it.
func startChild(t testing.TB, o childOptions) *child {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	cmd.Env, cmd.Stderr = append(os.Environ(), childVariable+"="+string(data)), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the server ended by itself")
	}
	url := lines.Text()
	c := &child{url, cmd, in, time.Since(began)}
	go func() {
		for lines.Scan() {
			if line := lines.Text(); line != "PASS" {
				fmt.Fprintln(os.Stderr, line)
			}
		}
	}()
	return c
}

// end lets the server stop by itself.
func (c *child) end(t testing.TB) {
	t.Helper()
	if err := c.in.Close(); err != nil {
		t.Error(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// memory is the most that the process has had in memory, and what it has now, in MiB.
func (c *child) memory(t testing.TB) (peak, now int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) == 3 && f[2] == "kB" {
			n, err := strconv.Atoi(f[1])
			switch {
			case err != nil:
				t.Fatal(err)
			case f[0] == "VmHWM:":
				peak = n >> 10
			case f[0] == "VmRSS:":
				now = n >> 10
			}
		}
	}
	return peak, now
}

// processor is the time that the process has computed.
func (c *child) processor(t testing.TB) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):]))
	user, err := strconv.Atoi(f[12])
	system, failed := strconv.Atoi(f[13])
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // a tick is a hundredth of a second
}

// An sse is an event of a stream.
type sse struct{ event, data, id string }

// streamed reads a stream to its end, or until take returns false.
func streamed(client *http.Client, r *http.Request, take func(sse) bool) error {
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, err := io.ReadAll(answer.Body)
		return errors.Join(fmt.Errorf("%s %s: %d %s", r.Method, r.URL, answer.StatusCode, text), err)
	}
	lines := bufio.NewReader(answer.Body)
	for ev := (sse{}); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		}
		if err != nil {
			return err
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "":
			if ev != (sse{}) && !take(ev) {
				return nil
			}
			ev = sse{}
		case name == "event":
			ev.event = value
		case name == "data":
			ev.data = value
		case name == "id":
			ev.id = value
		}
	}
}

// post makes a request with a body.
func post(url, body string) *http.Request {
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		panic(err) // the address is ours
	}
	return r
}

// many is a client of very many connections.
func many() *http.Client { return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2000}} }

// whole reads the events of a run of ten, and says what is wrong with them: one that is
// missing, twice there, or out of order.
type whole struct {
	last   string // ID of the last event
	nodes  []string
	values string
	faults []string
}

func (w *whole) take(ev sse) bool {
	if ev.id != "" && !later(ev.id, w.last) {
		w.faults = append(w.faults, fmt.Sprintf("event %s comes behind %s", ev.id, w.last))
	}
	if ev.id != "" {
		w.last = ev.id
	}
	switch ev.event {
	case "updates":
		var update map[string]any
		if err := json.Unmarshal([]byte(ev.data), &update); err != nil {
			w.faults = append(w.faults, err.Error())
		}
		for node := range update {
			w.nodes = append(w.nodes, node)
		}
	case "values":
		w.values = ev.data
	case "error":
		w.faults = append(w.faults, ev.data)
	}
	return true
}

// later compares IDs of events: numbers with a part behind a point.
func later(id, than string) bool {
	number := func(id string) (a, b int) {
		_, _ = fmt.Sscanf(id, "%d.%d", &a, &b) // without a point b is 0
		return a, b
	}
	a, b := number(id)
	c, d := number(than)
	return than == "" || a > c || a == c && b > d
}

func (w *whole) check() error {
	const all = "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9"
	var last work
	if err := json.Unmarshal([]byte(w.values), &last); err != nil {
		return fmt.Errorf("the last values %q: %w", w.values, err)
	}
	if got := strings.Join(w.nodes, " "); got != all || strings.Join(last.Lines, " ") != all || len(w.faults) > 0 {
		return fmt.Errorf("nodes %s, last values %s, %v", got, w.values, w.faults)
	}
	return nil
}
