package trace_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
)

type walk struct {
	Seen  []string
	Fails bool
}

var (
	seen  = graph.Append("seen", func(s *walk) *[]string { return &s.Seen })
	fails = graph.LastValue("fails", func(s *walk) *bool { return &s.Fails })
)

// visit says its name after a random pause, so that nodes side by side finish
// in any order.
func visit(name string) graph.Node[walk] {
	return func(ctx context.Context, s walk) (graph.Update[walk], error) {
		time.Sleep(rand.N(2 * time.Millisecond))
		if err := graph.Emit(ctx, "greeting", map[string]string{"text": "<" + name + ">"}); err != nil {
			return nil, err
		}
		if s.Fails && name == "c" {
			return nil, errors.New("c fails")
		}
		return graph.Update[walk]{seen.Add(name)}, nil
	}
}

func app(t *testing.T) *graph.Compiled[walk] {
	t.Helper()
	inner := graph.NewStateGraph[walk](seen, fails)
	inner.AddNode("x", visit("x"))
	inner.AddNode("y", visit("y"))
	inner.AddEdge(graph.Start, "x")
	inner.AddEdge(graph.Start, "y")
	child, err := inner.Compile(&graph.CompileOptions{Name: "inner"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph[walk](seen, fails)
	g.AddNode("a", visit("a"))
	g.AddNode("b", visit("b"))
	g.AddNode("c", visit("c"))
	g.AddSubgraph("sub", child)
	g.AddEdge(graph.Start, "a")
	g.AddEdge(graph.Start, "b")
	g.AddEdge(graph.Start, "sub")
	g.AddJoin([]string{"a", "b", "sub"}, "c")
	c, err := g.Compile(&graph.CompileOptions{Name: "outer"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func record(t *testing.T, in graph.Update[walk]) []trace.Record {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b, trace.Header{RunID: time.Now().String(), Config: map[string]string{"k": "v"}})
	for ev, err := range app(t).Stream(context.Background(), in, &graph.RunOptions{Modes: graph.Debug}) {
		if err != nil {
			break
		}
		if err := trace.Add(w, ev); err != nil {
			t.Fatal(err)
		}
	}
	records, err := trace.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func text(t *testing.T, records []trace.Record) string {
	t.Helper()
	var b strings.Builder
	if err := trace.Write(&b, records); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestNormalisedTracesOfOneRunAreEqual(t *testing.T) {
	for _, in := range []graph.Update[walk]{{}, {fails.Set(true)}} {
		first := text(t, trace.Normalise(record(t, in)))
		for range 20 {
			if again := text(t, trace.Normalise(record(t, in))); again != first {
				t.Fatalf("two traces of one run differ:\n%s\n%s", first, again)
			}
		}
		if !strings.Contains(first, `"text":"<a>"`) {
			t.Error("angle brackets were escaped")
		}
	}
}

func TestNormaliseNumbersInterrupts(t *testing.T) {
	asked := func(ids ...string) []trace.Record {
		out := make([]trace.Record, len(ids))
		for i, id := range ids {
			out[i].Seq, out[i].Interrupts = i, []graph.PendingInterrupt{{ID: id}}
		}
		return out
	}
	given := asked("x", "y", "x")
	if got, want := text(t, trace.Normalise(given)), text(t, asked("1", "2", "1")); got != want || given[0].Interrupts[0].ID != "x" {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestNormaliseRemovesOnlyWhatIsVolatile(t *testing.T) {
	raw := record(t, graph.Update[walk]{})
	before := text(t, raw)
	norm := trace.Normalise(raw)
	if text(t, raw) != before {
		t.Error("the records that were given have changed")
	}
	if len(norm) != len(raw) {
		t.Errorf("%d records became %d", len(raw), len(norm))
	}
	for i, rec := range norm {
		if rec.Seq != i || rec.Time != "" || rec.ElapsedUS != 0 || rec.Header != nil && rec.Header.RunID != "" {
			t.Errorf("record %d keeps something volatile: %+v", i, rec)
		}
	}
	if norm[0].Header == nil || norm[0].Header.Config["k"] != "v" || norm[0].Fingerprint == "" {
		t.Errorf("first record %+v", norm[0])
	}
	again := trace.Normalise(norm)
	if text(t, again) != text(t, norm) {
		t.Error("normalising twice changes the trace")
	}
}

func TestFirstDifferenceInWords(t *testing.T) {
	was := trace.Normalise(record(t, graph.Update[walk]{}))
	if diff, differ := trace.First(was, was); differ {
		t.Errorf("a trace differs from itself: %s", diff)
	}
	is := trace.Normalise(record(t, graph.Update[walk]{}))
	for i, rec := range is {
		if rec.Kind == "node_update" && rec.Node == "y" {
			is[i].Update = []byte(strings.Replace(string(rec.Update), `"y"`, `"z"`, 1))
		}
	}
	diff, differ := trace.First(was, is)
	got := diff.String()
	for _, want := range []string{`node_update of node "sub/y"`, `field update[0].value[0]`, `was: "y"`, `is:  "z"`, "path so far: a → b → sub/x"} {
		if !differ || !strings.Contains(got, want) {
			t.Errorf("difference does not say %q:\n%s", want, got)
		}
	}
	diff, differ = trace.First(was, was[:len(was)-1])
	if !differ || diff.Index != len(was)-1 || !strings.Contains(diff.Is, "ends") {
		t.Errorf("a trace cut short: %+v", diff)
	}
	diff, differ = trace.First(was[:3], was)
	if !differ || diff.Index != 3 {
		t.Errorf("a trace grown longer: %+v", diff)
	}
	failed := slices.Clone(was)
	failed[3].Error = "it failed"
	for name, traces := range map[string][2][]trace.Record{"new": {was, failed}, "gone": {failed, was}} {
		if diff, differ := trace.First(traces[0], traces[1]); !differ || diff.Index != 3 || diff.Field != "error" {
			t.Errorf("a field that is %s: %+v", name, diff)
		}
	}
}

func TestReadNamesTheLine(t *testing.T) {
	good := `{"v":1,"seq":0,"kind":"run_start","at":[{"step":-1,"task":-1}]}`
	for _, tc := range []struct{ in, want string }{
		{good + "\n{", "line 2"},
		{"# prose\n\n" + `{"v":9,"kind":"x"}`, "line 3: version is 9"},
		{`{"v":1}`, "not a trace"},
		{`[1,2]`, "line 1"},
	} {
		if _, err := trace.Read(strings.NewReader(tc.in)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("reading %q: error %v, want %q in it", tc.in, err, tc.want)
		}
	}
	records, err := trace.Read(strings.NewReader("# what this protects\n" + good + "\n\n"))
	if err != nil || len(records) != 1 {
		t.Errorf("%d records, %v", len(records), err)
	}
}

func TestWriterReportsFailure(t *testing.T) {
	w := trace.NewWriter(broken{}, trace.Header{})
	if err := trace.Add(w, graph.Event[walk]{Kind: graph.NodeStart}); !errors.Is(err, errDisk) {
		t.Errorf("error is %v", err)
	}
}

var errDisk = errors.New("disk is full")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errDisk }

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"v":1,"seq":0,"kind":"node_update","at":[{"step":1,"task":0},{"step":1,"task":1}],"update":[{"a":1}]}`))
	f.Add([]byte(`{"v":1,"seq":0,"kind":"model_call","ns":"a","node":"b","at":[{"step":1,"task":0},{"step":1,"task":-1},{"step":1,"task":0}],"data":1}`))
	f.Add([]byte("# x\n{\"v\":1,\"kind\":\"custom\",\"at\":null,\"data\":{}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := trace.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		norm := trace.Normalise(records)
		if _, differ := trace.First(norm, trace.Normalise(norm)); differ {
			t.Error("normalising is not idempotent")
		}
		for _, opts := range []*trace.RecordingOptions{nil, {From: "a"}, {Live: func(r trace.Record) bool { return r.Data != nil }}} {
			rec, err := trace.NewRecording(records, opts)
			if err != nil {
				continue
			}
			for _, r := range records {
				if _, err := rec.Task(r.Places, r.Node); err != nil && r.Node != "" && err.Error() == "" {
					t.Error("an error without words")
				}
				if err := rec.Superstep(r.Places, r.Nodes); err != nil && err.Error() == "" {
					t.Error("an error without words")
				}
			}
		}
	})
}

func TestTokensAreNotTraced(t *testing.T) {
	var b bytes.Buffer
	w := trace.NewWriter(&b, trace.Header{})
	for _, ev := range []graph.Event[walk]{
		{Kind: graph.NodeToken, Text: "word"},
		{Kind: graph.StateValue},
		{Kind: graph.NodeUpdate, Node: "a", Cached: true, Update: graph.Update[walk]{graph.Goto[walk]("b")}},
		{Kind: graph.NodeHandled, Node: "a", Err: errDisk},
	} {
		if err := trace.Add(w, ev); err != nil {
			t.Fatal(err)
		}
	}
	records, err := trace.Read(&b)
	if err != nil || len(records) != 2 || records[0].Seq != 0 || !records[0].Cached || string(records[0].Update) != `[{"op":"goto","value":{"to":["b"]}}]` {
		t.Errorf("%+v, error %v", records, err)
	}
	if records[1].Kind != "node_handled" || records[1].Error != errDisk.Error() || records[1].Cached {
		t.Errorf("%+v", records[1])
	}
}

// Of the header's skills those are kept that the run asked, whatever hash the others
// have.
func TestNormaliseKeepsAskedSkills(t *testing.T) {
	of := func(other string) []trace.Record {
		return trace.Normalise([]trace.Record{
			{Kind: "run_start", Header: &trace.Header{Skills: map[string]string{"plan": "p", "other": other}}},
			{Kind: "model_call", Data: []byte(`{"skill": "plan"}`)},
			{Kind: "note", Data: []byte(`7`)},
		})
	}
	if got := of("x")[0].Header.Skills; len(got) != 1 || got["plan"] != "p" {
		t.Errorf("%v", got)
	}
	if diff, differ := trace.First(of("x"), of("y")); differ {
		t.Errorf("a skill that nobody asked makes a difference: %s", diff)
	}
}
