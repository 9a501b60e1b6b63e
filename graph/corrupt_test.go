package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// spoilt makes a thread of five checkpoints whose fourth, after b, is changed.
func spoilt(t testing.TB, change func(c *graph.Checkpoint)) (*graph.Compiled[board], graph.Checkpointer) {
	t.Helper()
	saver := memory.New()
	app := compileOn(t, saver, wire("START -> a -> b -> c\na b => d", nil))
	runs(t, app, update{log.Add("in")}, on("1"))
	for _, c := range checkpointsOf(t, saver, "1") {
		if c.ID == "0000000003" {
			change(&c)
			if err := saver.Commit(t.Context(), "1", graph.Change{Replace: []graph.Checkpoint{c}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return app, saver
}

// A broken or foreign checkpoint is an error for every reader. The error names
// the checkpoint and the fault. The history continues after it.
func TestCorruptCheckpoints(t *testing.T) {
	field := func(name, value string) func(*graph.Checkpoint) {
		return func(c *graph.Checkpoint) {
			var data map[string]json.RawMessage
			if err := json.Unmarshal(c.Data, &data); err != nil {
				t.Fatal(err)
			}
			data[name] = json.RawMessage(value)
			c.Data, _ = json.Marshal(data)
		}
	}
	for what, c := range map[string]struct {
		change func(*graph.Checkpoint)
		part   string
	}{
		"nothing":            {func(c *graph.Checkpoint) { c.Data = nil }, "not the data of a checkpoint"},
		"half":               {func(c *graph.Checkpoint) { c.Data = c.Data[:len(c.Data)/2] }, "not the data of a checkpoint"},
		"no JSON":            {func(c *graph.Checkpoint) { c.Data = []byte("\x00\xff") }, "not the data of a checkpoint"},
		"another's JSON":     {func(c *graph.Checkpoint) { c.Data = []byte(`{"channel_values":{}}`) }, "no format version"},
		"a later format":     {field("v", fmt.Sprint(graph.FormatVersion+1)), fmt.Sprint("format version is ", graph.FormatVersion+1)},
		"a snapshot's data":  {field("full", "true"), "full: true"},
		"a base of its own":  {func(c *graph.Checkpoint) { c.Base = c.ID }, "full: false"},
		"an unknown channel": {field("set", `{"ghost":1}`), `"ghost"`},
		"a wrong type":       {field("set", `{"x":"text"}`), `"x"`},
		"no list":            {field("add", `{"log":7}`), `"log"`},
		"a list of others":   {field("add", `{"log":[7]}`), `"log"`},
		"an unknown op":      {field("tasks", `[{"node":"a","update":[{"channel":"log","op":"steal"}]}]`), `"steal"`},
		"tasks that are not": {field("tasks", `7`), "not the data of a checkpoint"},
		"an unknown node":    {field("next", `["ghost"]`), `"ghost"`},
		"an unknown Send":    {field("sends", `[{"node":"ghost"}]`), `"ghost"`},
		"a Send of what":     {field("sends", `[{"node":"a","state":7}]`), `"a"`},
		"held unknown":       {field("held", `["ghost"]`), `"ghost"`},
		"an unknown join":    {field("arrived", `{"a+x => d":["a"]}`), `"a+x => d"`},
		"who never comes":    {field("arrived", `{"a+b => d":["x"]}`), `"x"`},
		"a strange input":    {field("input", `[{"channel":"ghost","op":"set"}]`), `"ghost"`},
		"another graph":      {func(c *graph.Checkpoint) { c.Fingerprint = "f00" }, "fingerprint"},
		"a later version":    {func(c *graph.Checkpoint) { c.Version = 9 }, "version 9"},
		"a lost parent":      {func(c *graph.Checkpoint) { c.Parent = "0000000000" }, "missing"},
	} {
		t.Run(strings.ReplaceAll(what, " ", "_"), func(t *testing.T) {
			app, _ := spoilt(t, c.change)
			key := graph.Key{Thread: "1", ID: "0000000003"}
			named := func(doing string, err error) {
				if err == nil || !strings.Contains(err.Error(), key.ID) || !strings.Contains(err.Error(), c.part) {
					t.Errorf("%s: %v; it should name checkpoint %s and say %q", doing, err, key.ID, c.part)
				}
			}
			_, err := app.State(t.Context(), key)
			named("State", err)
			opts := on("1")
			opts.Checkpoint = key.ID
			_, err = app.Resume(t.Context(), nil, opts)
			named("Invoke", err)
			_, err = app.UpdateState(t.Context(), key, graph.StateUpdate[board]{As: "a"})
			named("UpdateState", err)
			_, err = app.Fork(t.Context(), key)
			named("Fork", err)
			// Earlier checkpoints can be continued.
			opts.Checkpoint = "0000000002"
			if out := runs(t, app, nil, opts); fmt.Sprint(out.Log) != "[in a b c d]" {
				t.Errorf("from the checkpoint before: %v", out.Log)
			}
			var good []string
			for s, err := range app.History(t.Context(), "1", nil) {
				if err == nil {
					good = append(good, s.Key.ID)
				}
			}
			if joined := strings.Join(good, " "); !strings.HasSuffix(joined, "0000000002 0000000001") || strings.Contains(joined, key.ID) {
				t.Errorf("the history has %s", joined)
			}
		})
	}
}

// An ID that this package would not give cannot be followed.
func TestForeignIDs(t *testing.T) {
	saver := memory.New()
	app := compileOn(t, saver, abc(nil))
	runs(t, app, update{}, on("1"))
	foreign := checkpointsOf(t, saver, "1")[0]
	foreign.Parent, foreign.ID = foreign.ID, "ffff"
	if err := saver.Commit(t.Context(), "1", graph.Change{Add: []graph.Checkpoint{foreign}}); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Invoke(t.Context(), update{}, on("1")); err == nil || !strings.Contains(err.Error(), `"ffff"`) {
		t.Errorf("error %v", err)
	}
}

// A task's records may be broken too.
func TestCorruptRecords(t *testing.T) {
	for _, kind := range []graph.RecordKind{graph.RecordUpdate, graph.RecordError, graph.RecordInterrupt} {
		saver := memory.New()
		app := compileOn(t, saver, wire("START -> a -> b", map[string]node{"b": breaks}))
		if _, err := app.Invoke(t.Context(), update{}, on("1")); !errors.Is(err, errBoom) {
			t.Fatalf("error %v", err)
		}
		s := stateOf(t, app, graph.Key{Thread: "1"})
		rec := graph.Record{Checkpoint: s.Key.ID, Task: s.Tasks[0].ID, Kind: kind, Data: []byte("{")}
		if err := saver.Commit(t.Context(), "1", graph.Change{Records: []graph.Record{rec}}); err != nil {
			t.Fatal(err)
		}
		if _, err := app.State(t.Context(), s.Key); err == nil || !strings.Contains(err.Error(), "unexpected end") {
			t.Errorf("a broken %s: %v", kind, err)
		}
		if _, err := app.Resume(t.Context(), nil, on("1")); err == nil {
			t.Errorf("a broken %s is run on", kind)
		}
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(`{"v":1,"full":true,"set":{"log":["in"],"x":3},"next":["b"]}`))
	f.Add([]byte(`{"v":1,"full":true,"next":["__start__"],"input":[{"channel":"log","op":"add","value":["x"]}]}`))
	f.Add([]byte(`{"v":1,"full":true,"sends":[{"node":"a","state":{"x":1}}],"held":["c"],"arrived":{"a+b => d":["a"]},"children":{"a":"1"}}`))
	f.Add([]byte(`{"v":1,"tasks":[{"node":"a","update":[{"channel":"log","op":"overwrite","value":["y"]}]}],"drop":["log"],"add":{"log":[1]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, delta := range []bool{false, true} { // as a snapshot, and as what follows one
			saver := memory.New()
			app := compileOn(t, saver, wire("START -> a -> b -> c\na b => d", nil))
			runs(t, app, update{log.Add("in")}, on("1"))
			c := checkpointsOf(t, saver, "1")[0]
			c.Parent, c.ID, c.Data = c.ID, "0000000009", data
			if !delta {
				c.Base = c.ID
			}
			if err := saver.Commit(t.Context(), "1", graph.Change{Add: []graph.Checkpoint{c}}); err != nil {
				t.Fatal(err)
			}
			key := graph.Key{Thread: "1", ID: c.ID}
			_, err := app.State(t.Context(), key)
			if err != nil && !strings.Contains(err.Error(), c.ID) {
				t.Errorf("error %v does not name the checkpoint", err)
			}
			opts := on("1")
			opts.RecursionLimit = 20
			out, ran := app.Resume(t.Context(), nil, opts)
			if err != nil && ran == nil {
				t.Errorf("a run goes on to %+v from what State refuses: %v", out, err)
			}
			if _, err := graph.Prune(context.Background(), saver, "1", nil); err == nil && ran == nil {
				if s, err := app.State(t.Context(), graph.Key{Thread: "1"}); err != nil || fmt.Sprint(s.State) != fmt.Sprint(out) {
					t.Errorf("pruned: %+v, %v; want %+v", s, err, out)
				}
			}
		}
	})
}

func FuzzDecodeUpdate(f *testing.F) {
	for _, seed := range []string{
		`[{"channel":"log","op":"add","value":["a"]}]`,
		`[{"channel":"x","op":"overwrite","value":3},{"channel":"hello","op":"set","value":"h"}]`,
		`[{"op":"goto","value":{"to":["a"],"sends":[{"node":"a","state":{"x":1}}]}}]`, `[{"op":"parent"}]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	app := mustCompile(f, abc(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := app.DecodeUpdate(data)
		if err != nil {
			return
		}
		once, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := app.DecodeUpdate(once)
		if err != nil {
			t.Fatalf("%s cannot be read: %v", once, err)
		}
		if twice, err := again.MarshalJSON(); err != nil || string(twice) != string(once) {
			t.Errorf("%s, %v; was %s", twice, err, once)
		}
	})
}
