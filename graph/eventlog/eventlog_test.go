package eventlog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/assay/graph/eventlog"
	"example.com/assay/internal/pgtest"
)

// A backend opens a log for a test, and again as another process would.
type backend func(t *testing.T) (*eventlog.Log, func() *eventlog.Log)

func inPostgres(t *testing.T) (*eventlog.Log, func() *eventlog.Log) {
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	return opened(t, func() (*eventlog.Log, error) { return eventlog.Open(t.Context(), pool, schema) })
}

func inFile(t *testing.T) (*eventlog.Log, func() *eventlog.Log) {
	path := filepath.Join(t.TempDir(), "events.db")
	return opened(t, func() (*eventlog.Log, error) { return eventlog.OpenFile(t.Context(), path) })
}

func opened(t *testing.T, open func() (*eventlog.Log, error)) (*eventlog.Log, func() *eventlog.Log) {
	again := func() *eventlog.Log {
		log, err := open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
		return log
	}
	return again(), again
}

// both runs a test with each backend.
func both(t *testing.T, test func(*testing.T, backend)) {
	t.Run("file", func(t *testing.T) { test(t, inFile) })
	t.Run("postgres", func(t *testing.T) { test(t, inPostgres) })
}

func event(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"n":%d,"text":"a\u0000b <&> ü"}`, n))
}

// A reader of another process sees each event once, in order and byte by byte, those
// that were there and those that come while it waits, and goes on from where it was.
func TestReadWhileItIsWritten(t *testing.T) { both(t, readWhileItIsWritten) }

func readWhileItIsWritten(t *testing.T, open backend) {
	log, again := open(t)
	const all = 1200
	go func() {
		out := log.Recorder("r")
		for n := 1; n <= all; n++ {
			out.Add(event(n))
			if n%100 == 0 {
				time.Sleep(5 * time.Millisecond)
			}
		}
		if err := out.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	reader, seen := again(), int64(0)
	for seen < all {
		for e, err := range reader.Read(t.Context(), "r", seen, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq != seen+1 || string(e.Data) != string(event(int(e.Seq))) {
				t.Fatalf("event %d is %s behind %d", e.Seq, e.Data, seen)
			}
			if seen = e.Seq; seen == 700 || seen == all {
				break // it comes back
			}
		}
	}
	if last, err := log.Last(t.Context(), "r"); err != nil || last != all {
		t.Errorf("last %d, error %v", last, err)
	}
	if last, err := log.Last(t.Context(), "another"); err != nil || last != 0 {
		t.Errorf("of another run: last %d, error %v", last, err)
	}
}

// A notice wakes a reader long before it would look again.
func TestNotice(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		log, _ := inFile(t)
		noticed(t, log, log) // another process looks every second
	})
	t.Run("postgres", func(t *testing.T) {
		log, again := inPostgres(t)
		noticed(t, log, again())
	})
}

func noticed(t *testing.T, log, reader *eventlog.Log) {
	got := make(chan time.Duration, 20)
	began := make(chan time.Time, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for _, err := range reader.Read(ctx, "r", 0, nil) {
			if err != nil {
				return
			}
			got <- time.Since(<-began)
		}
	}()
	time.Sleep(300 * time.Millisecond) // it listens
	for round := 1; ; round++ {
		var times []time.Duration
		for n := range 11 {
			out := log.Recorder("r")
			began <- time.Now()
			out.Add(event(n))
			times = append(times, <-got)
			if err := out.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		slices.Sort(times)
		switch median := times[len(times)/2]; {
		case median < 200*time.Millisecond:
			return
		case round == 4: // not only once, on a busy machine
			t.Fatalf("an event takes %v", median)
		}
	}
}

// A reader ends with its context; runs do not mix; two writers of a run take turns.
func TestReadersAndWriters(t *testing.T) { both(t, readersAndWriters) }

func readersAndWriters(t *testing.T, open backend) {
	log, again := open(t)
	other := again()
	first, second, apart := log.Recorder("r"), other.Recorder("r"), log.Recorder("apart")
	for n := range 200 {
		first.Add(event(n))
		second.Add(event(1000 + n))
		apart.Add(event(n))
	}
	for _, out := range []*eventlog.Recorder{first, second, apart} {
		if err := out.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	n := int64(0)
	for e, err := range log.Read(ctx, "r", 0, nil) {
		if ctx.Err() != nil {
			break
		}
		if n++; err != nil || e.Seq != n {
			t.Fatalf("event %d is %d, error %v", n, e.Seq, err)
		}
		if n == 400 {
			time.AfterFunc(50*time.Millisecond, stop)
		}
	}
	if n != 400 {
		t.Errorf("%d events; want 400", n)
	}
	if gone, err := log.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil || gone != 600 {
		t.Errorf("removed %d, error %v", gone, err)
	}
}

// A reader that is to stop at the end gets all that is there by then, also when it is far
// behind and what it wants is in memory no longer.
func TestReadUntil(t *testing.T) { both(t, readUntil) }

func readUntil(t *testing.T, open backend) {
	log, _ := open(t)
	out := log.Recorder("r")
	const all = 3000
	for n := range all {
		out.Add(event(n))
	}
	if err := out.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	n := 0
	for e, err := range log.Read(t.Context(), "r", 0, ended) {
		if n++; err != nil || e.Seq != int64(n) || string(e.Data) != string(event(n-1)) {
			t.Fatalf("event %d is %d: %s, error %v", n, e.Seq, e.Data, err)
		}
		if n == all {
			out.Add(event(all))
			if err := out.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			close(ended)
		}
	}
	if n != all+1 {
		t.Errorf("%d events; want %d", n, all+1)
	}
	if err := log.Remove(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	for e := range log.Read(t.Context(), "r", 0, ended) {
		t.Fatalf("event %d is there after its run was removed", e.Seq)
	}
}

// What cannot be kept is an error of its recorder, and of no other.
func TestLostEvents(t *testing.T) {
	log, _ := inPostgres(t)
	bad, good := log.Recorder("bad"), log.Recorder("good")
	for n := range 20 {
		bad.Add(json.RawMessage("\"\xff\"")) // not UTF-8
		good.Add(event(n))
	}
	if err := bad.Close(t.Context()); err == nil {
		t.Error("events that the server refuses are not missed")
	}
	if err := good.Close(t.Context()); err != nil {
		t.Errorf("another run: %v", err)
	}
	if last, err := log.Last(t.Context(), "good"); err != nil || last != 20 {
		t.Errorf("of another run %d events are there, error %v", last, err)
	}
}

// Closing the log keeps what was added; what is added later is refused.
func TestCloseKeeps(t *testing.T) {
	log, again := inFile(t)
	out := log.Recorder("r")
	for n := range 1000 {
		out.Add(event(n))
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if last, err := again().Last(t.Context(), "r"); err != nil || last != 1000 {
		t.Errorf("%d events are there, error %v", last, err)
	}
	out.Add(event(1000))
	if err := out.Close(t.Context()); err == nil {
		t.Error("an event for a closed log is not missed")
	}
}
