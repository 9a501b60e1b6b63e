package eventlog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/assay/graph/eventlog"
	"example.com/assay/internal/pgtest"
)

func open(t *testing.T) (*eventlog.Log, func() *eventlog.Log) {
	t.Helper()
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	again := func() *eventlog.Log {
		log, err := eventlog.Open(t.Context(), pool, schema)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(log.Close)
		return log
	}
	return again(), again
}

func event(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"n":%d,"text":"a\u0000b <&> ü"}`, n))
}

// A reader of another process sees each event once, in order and byte by byte, those
// that were there and those that come while it waits, and goes on from where it was.
func TestReadWhileItIsWritten(t *testing.T) {
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
		for e, err := range reader.Read(t.Context(), "r", seen) {
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
	log, again := open(t)
	reader := again()
	got := make(chan time.Duration, 20)
	began := make(chan time.Time, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for _, err := range reader.Read(ctx, "r", 0) {
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
func TestReadersAndWriters(t *testing.T) {
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
	for e, err := range log.Read(ctx, "r", 0) {
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
