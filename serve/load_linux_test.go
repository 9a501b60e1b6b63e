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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// load is how much a test asks of a server: less by default than with ASSAY_TEST_LOAD=1,
// which measures what docs/performance.md says.
func load(less, more int) int {
	if os.Getenv("ASSAY_TEST_LOAD") != "" {
		return more
	}
	return less
}

// maxMemory is what the process of a server may have in memory at most, in MiB.
const maxMemory = 300

// together runs some at the same time, and returns how long each took, sorted.
func together(t *testing.T, n int, do func(i int) error) []time.Duration {
	t.Helper()
	took, errs := make([]time.Duration, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			began := time.Now()
			errs[i] = do(i)
			took[i] = time.Since(began)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	slices.Sort(took)
	return took
}

// Very many clients ask at once. Each gets all events of its run in their order, memory is
// bounded, and the queue moves on: of n clients the slowest but 5 % is answered within
// three times ceil(n / AtOnce) runs, each as long as with AtOnce clients alone.
func TestManyClients(t *testing.T) {
	const atOnce = 8
	clients := load(40, 200)
	c := startChild(t, childOptions{Folder: t.TempDir(), AtOnce: atOnce})
	defer c.end(t)
	client := many()
	run := func(int) error {
		var w whole
		err := streamed(client, post(c.url+"/runs/stream", `{"assistant_id":"ten","input":{"wait":5},"stream_mode":["values","updates"]}`), w.take)
		return errors.Join(err, w.check())
	}
	together(t, atOnce, run) // it is warm
	var alone []time.Duration
	for range 5 {
		alone = append(alone, together(t, atOnce, run)...)
	}
	slices.Sort(alone)
	one := alone[len(alone)/2]
	took := together(t, clients, run)
	expected, p95 := time.Duration((clients+atOnce-1)/atOnce)*one, took[len(took)*95/100]
	peak, _ := c.memory(t)
	t.Logf("%d clients, %d at once: a run takes %v; p50 %v, p95 %v, that is %.2f of the expected %v; memory %d MiB at most",
		clients, atOnce, one, took[len(took)/2], p95, float64(p95)/float64(expected), expected, peak)
	if p95 > 3*expected {
		t.Errorf("p95 is %v, expected are %v", p95, expected)
	}
	if peak > maxMemory {
		t.Errorf("the server has had %d MiB", peak)
	}
}

// Threads that rest cost neither memory nor time at the start, and a search gives a part.
func TestIdleThreads(t *testing.T) {
	threads := load(1000, 10_000)
	folder := t.TempDir()
	begin := func() (c *child, now int) {
		c = startChild(t, childOptions{Folder: folder, AtOnce: 8})
		_, now = c.memory(t)
		return c, now
	}
	first, _ := begin() // makes the files
	first.end(t)
	empty, before := begin()
	empty.end(t)
	o, done, err := kept(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := runs.Open(t.Context(), nil, runs.Options{Checkpointer: o.Checkpointer, Store: o.Store, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	s := m.Space(runs.DefaultTenant)
	for i := range threads {
		if _, err := s.CreateThread(t.Context(), runs.ThreadSpec{Metadata: json.RawMessage(fmt.Sprintf(`{"i":%d,"text":%q}`, i%10, strings.Repeat("x", 500)))}); err != nil {
			t.Fatal(err)
		}
	}
	m.Close(context.Background())
	if err := done(); err != nil {
		t.Fatal(err)
	}
	c, after := begin()
	defer c.end(t)
	client := many()
	var times []time.Duration
	for i := range 10 {
		began := time.Now()
		answer, err := client.Do(post(c.url+"/threads/search", fmt.Sprintf(`{"limit":20,"offset":%d,"metadata":{"i":3}}`, i*20)))
		if err != nil {
			t.Fatal(err)
		}
		var found []map[string]any
		err = json.NewDecoder(answer.Body).Decode(&found)
		answer.Body.Close()
		if err != nil || len(found) != min(20, max(0, threads/10-i*20)) || answer.Header.Get("X-Pagination-Total") != fmt.Sprint(threads/10) {
			t.Fatalf("part %d has %d threads of %s, error %v", i, len(found), answer.Header.Get("X-Pagination-Total"), err)
		}
		times = append(times, time.Since(began))
	}
	peak, _ := c.memory(t)
	slices.Sort(times)
	t.Logf("%d threads: start in %v, without any in %v; %d MiB at the start, without any %d; a search takes %v; %d MiB at most", threads, c.ran, empty.ran, after, before, times[len(times)/2], peak)
	if after > before+10 || peak > maxMemory {
		t.Errorf("%d MiB in place of %d, %d at most", after, before, peak)
	}
}

// A reader that takes nothing delays neither the run nor other readers, costs little
// memory, and gets all in the end.
func TestSlowReader(t *testing.T) {
	c := startChild(t, childOptions{Folder: t.TempDir(), AtOnce: 8})
	defer c.end(t)
	const tokens = 2000 // of a kilobyte, from each of ten nodes
	client := many()
	answer, err := client.Do(post(c.url+"/runs/stream", fmt.Sprintf(`{"assistant_id":"ten","input":{"tokens":%d},"stream_mode":["messages-tuple","updates"],"on_completion":"keep"}`, tokens)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	place := answer.Header.Get("Content-Location")
	// Another reads all meanwhile, and sees the end.
	var other whole
	count := 0
	r, err := http.NewRequest("GET", c.url+place+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := streamed(client, r, func(ev sse) bool {
		if ev.event == "messages" {
			count++
		}
		return other.take(ev)
	}); err != nil {
		t.Fatal(err)
	}
	if count != 10*tokens || len(other.nodes) != 10 || len(other.faults) > 0 {
		t.Errorf("another reader sees %d pieces of %d nodes, %v", count, len(other.nodes), other.faults)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "event: messages\n"); n != 10*tokens {
		t.Errorf("the slow reader gets %d pieces; want %d", n, 10*tokens)
	}
	peak, _ := c.memory(t)
	t.Logf("%d MB of events, memory %d MiB at most", len(text)>>20, peak)
	if peak > maxMemory {
		t.Errorf("the server has had %d MiB", peak)
	}
}

// A caller that takes nothing for a while is left, though it does not leave.
func TestTakesNothing(t *testing.T) {
	left := make(chan serve.Access, 10)
	h := served(t, func(o *serve.Options) {
		o.Graphs = append(o.Graphs, serve.Register("ten", ten(), nil))
		o.TakeTime, o.Access = 100*time.Millisecond, func(a serve.Access) { left <- a }
	})
	conn, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"assistant_id":"ten","input":{"tokens":2000},"stream_mode":"messages-tuple","on_completion":"keep"}`
	fmt.Fprintf(conn, "POST /runs/stream HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Length: %d\r\n\r\n%s", ann, len(body), body)
	answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	select {
	case a := <-left:
		if a.Path != "/runs/stream" || a.Bytes < 1000 {
			t.Errorf("%+v", a)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server waits for a caller that takes nothing")
	}
	place := answer.Header.Get("Content-Location")
	r, err := http.NewRequest("GET", h.URL+place+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", ann)
	n := 0
	if err := streamed(http.DefaultClient, r, func(ev sse) bool { n++; return true }); err != nil || n < 20_000 {
		t.Errorf("the run has %d events, error %v", n, err)
	}
}

// Very many readers of one run cost one run: it takes as long as with one.
func TestManyReaders(t *testing.T) {
	readers := load(100, 1000)
	c := startChild(t, childOptions{Folder: t.TempDir(), AtOnce: 8})
	defer c.end(t)
	client := many()
	// took is how long the run of some readers took, and what the process computed.
	took := func(n int) (run, cpu time.Duration) {
		t.Helper()
		before := c.processor(t)
		answer, err := client.Do(post(c.url+"/threads", "{}"))
		if err != nil {
			t.Fatal(err)
		}
		var made map[string]any
		err = json.NewDecoder(answer.Body).Decode(&made)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		// It begins later, when all are there.
		at := c.url + "/threads/" + made["thread_id"].(string) + "/runs"
		if answer, err = client.Do(post(at, `{"assistant_id":"ten","input":{"wait":100},"stream_mode":["values","updates"],"after_seconds":`+fmt.Sprint(load(1, 3))+`}`)); err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(answer.Body).Decode(&made)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		var began, ended atomic.Int64 // of the first reader
		together(t, n, func(i int) error {
			r, err := http.NewRequest("GET", at+"/"+made["run_id"].(string)+"/stream", nil)
			if err != nil {
				return err
			}
			var w whole
			err = streamed(client, r, func(ev sse) bool {
				if i == 0 && ev.event == "metadata" {
					began.Store(time.Now().UnixNano())
				}
				return w.take(ev)
			})
			if i == 0 {
				ended.Store(time.Now().UnixNano())
			}
			return errors.Join(err, w.check())
		})
		return time.Duration(ended.Load() - began.Load()), c.processor(t) - before
	}
	const tries = 3 // other work of the machine slows a run down
	for try := 1; ; try++ {
		one, cheap := took(1)
		all, cpu := took(readers)
		t.Logf("a run takes %v with a reader, %v with %d: %.2f times; the processor %v and %v, %v a reader",
			one, all, readers, float64(all)/float64(one), cheap, cpu, (cpu-cheap)/time.Duration(readers))
		if all <= 2*one {
			break
		}
		if try == tries {
			t.Errorf("a run takes %v with %d readers, %v with one", all, readers, one)
			break
		}
	}
	peak, _ := c.memory(t)
	t.Logf("memory %d MiB at most", peak)
	if peak > maxMemory {
		t.Errorf("the server has had %d MiB", peak)
	}
}
