package view_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/serve/view"
	"example.com/assay/state"
)

// untimed leaves out what a clock says, and what a trace does not hold.
var untimed = cmp.Options{
	cmpopts.IgnoreUnexported(view.Node{}),
	cmpopts.IgnoreFields(view.View{}, "Started", "ElapsedMS", "LastMS", "Header", "First", "Last"),
	cmpopts.IgnoreFields(view.Step{}, "Fields", "States"),
	cmpopts.IgnoreFields(view.Node{}, "MS", "Start", "Stop"),
}

func summary(v view.View) string {
	var b strings.Builder
	for _, r := range v.Ran() {
		fmt.Fprintf(&b, "%s: %d tasks in %d supersteps, %d at once, first %d", r.Path, r.Tasks, r.Supersteps, r.AtOnce, r.First)
		b.WriteString(map[view.Class]string{view.Done: "\n", view.Asked: ", asked\n", view.Failed: ", failed\n"}[r.Class])
	}
	return b.String()
}

// A run that asks, goes on and fails is the same view from its trace and from its events.
func TestRun(t *testing.T) {
	c := build(t)
	asked, byEvents := play(t, c).views(t, nil)
	if diff := cmp.Diff(asked, byEvents, untimed); diff != "" {
		t.Errorf("the trace and the events differ:\n%s", diff)
	}
	want := `count: 3 tasks in 3 supersteps, 1 at once, first 0
check: 1 tasks in 1 supersteps, 1 at once, first 3
check/split: 1 tasks in 1 supersteps, 1 at once, first 3
check/judge: 4 tasks in 1 supersteps, 4 at once, first 3
ask: 1 tasks in 1 supersteps, 1 at once, first 4, asked
`
	if diff := cmp.Diff(want, summary(asked)); diff != "" {
		t.Error(diff)
	}
	if got := asked.Total; got.Calls != 4 || got.InputTokens != 12 || len(asked.Interrupts) != 1 || !asked.Ended {
		t.Errorf("%+v, questions %v", got, asked.Interrupts)
	}
	failed, byEvents := play(t, c, "no").views(t, nil)
	if diff := cmp.Diff(failed, byEvents, untimed); diff != "" {
		t.Errorf("the trace and the events differ:\n%s", diff)
	}
	want = "ask: 1 tasks in 1 supersteps, 1 at once, first 0\nlast: 1 tasks in 1 supersteps, 1 at once, first 1, failed\n"
	if got := summary(failed); got != want || failed.Continued != 4 || !strings.Contains(failed.Error, "the reply is no") {
		t.Errorf("%s, continued after %d, error %q", got, failed.Continued, failed.Error)
	}
}

// The states are told as what changed, with those who wrote it.
func TestStates(t *testing.T) {
	_, v := play(t, build(t)).views(t, nil)
	show := func(s view.Step) (out []string) {
		for _, f := range s.Fields {
			out = append(out, fmt.Sprintf("%s: %s → %s, added %s, by %v", f.Name, f.Was, f.Is, f.Added, f.By))
		}
		return out
	}
	want := [][]string{
		{`seen: null → ["counted"], added ["counted"], by [count]`, `n: 0 → 1, added , by [count]`},
		{`seen: ["counted"] → ["counted","counted"], added ["counted"], by [count]`, `n: 1 → 2, added , by [count]`},
	}
	for i, fields := range want {
		if diff := cmp.Diff(fields, show(v.Steps[i])); diff != "" || !v.Steps[i].States {
			t.Errorf("superstep %d: %s", i+1, diff)
		}
	}
	if last := v.Steps[len(v.Steps)-1]; last.States {
		t.Error("a superstep that waits for an answer has no state after it")
	}
	wrote := []view.Channel{
		{Name: "n", Writers: []view.Writer{{Node: "count", Times: 3}}, Last: json.RawMessage("3")},
		{Name: "seen", Writers: []view.Writer{{Node: "count", Times: 3}, {Node: "check", Times: 1}}, Last: json.RawMessage(`["judged"]`)},
		{Namespace: "check", Name: "seen", Writers: []view.Writer{{Node: "check/judge", Times: 4}}, Last: json.RawMessage(`["judged"]`)},
	}
	if diff := cmp.Diff(wrote, v.Channels); diff != "" {
		t.Error(diff)
	}
	if v, _ := play(t, build(t)).views(t, nil); v.Steps[0].States || v.Last != nil {
		t.Error("a trace has no states")
	}
}

// A function gives the states that the events lack.
func TestStatesOfCheckpoints(t *testing.T) {
	states := map[int]string{0: `{"n":0,"seen":null}`, 1: `{"n":1,"seen":["counted"]}`}
	viewed := func() view.View {
		v, _ := play(t, build(t)).views(t, &view.Options{State: func(step int) (json.RawMessage, bool) {
			s, ok := states[step]
			return json.RawMessage(s), ok
		}})
		return v
	}
	v := viewed()
	if s := v.Steps[0]; !s.States || len(s.Fields) != 2 || string(s.Fields[0].Is) != "1" || !slices.Equal(s.Fields[0].By, []string{"count"}) {
		t.Errorf("%+v", s.Fields)
	}
	if v.Steps[1].States || v.Last != nil || string(v.First) != states[0] {
		t.Errorf("the state after the second superstep is not known; first %s, last %s", v.First, v.Last)
	}
	states[4] = `{"n":3}` // the fifth superstep waits for an answer
	if v = viewed(); v.Last != nil {
		t.Errorf("the last state is %s", v.Last)
	}
	states[5] = `{"n":4}`
	if v = viewed(); string(v.Last) != states[5] {
		t.Errorf("the last state is %s", v.Last)
	}
}

// What a list got at its end is told apart from other changes.
func TestAdded(t *testing.T) {
	for _, x := range [][3]string{
		{`[1,2]`, `[1,2,3]`, `[3]`}, {`[]`, `[1]`, `[1]`}, {`null`, `[1]`, `[1]`}, {`[1]`, `[12]`, ``}, {`[1]`, `[1,2,[3]]`, `[2,[3]]`},
		{`["a"]`, `["a","b]"]`, `["b]"]`}, {`{"a":1}`, `{"a":1,"b":2}`, ``}, {`1`, `12`, ``}, {`"["`, `"[["`, ``}, {`[1,2]`, `[1]`, ``},
	} {
		got, err := view.Changes(json.RawMessage(`{"x":`+x[0]+`}`), json.RawMessage(`{"x":`+x[1]+`}`))
		if err != nil || len(got) != 1 || string(got[0].Added) != x[2] {
			t.Errorf("%s → %s: added %q, want %q, %v", x[0], x[1], got[0].Added, x[2], err)
		}
	}
}

// What is not an object is one field without a name; of an object the fields have its order.
func TestChanges(t *testing.T) {
	for _, x := range [][3]string{
		{``, `{"b":1,"a":[2]}`, "b  1, a  [2]"}, {`{"a":1}`, `{}`, "a 1 "}, {`null`, `{"a":1}`, "a  1"}, {``, `[1,2]`, "  [1,2]"}, {`"x"`, `"y"`, ` "x" "y"`}, {`7`, `7`, ""}, {`{"a.b":1}`, `{"a.b":2}`, "a.b 1 2"},
	} {
		list, err := view.Changes(json.RawMessage(x[0]), json.RawMessage(x[1]))
		var got []string
		for _, f := range list {
			got = append(got, fmt.Sprintf("%s %s %s", f.Name, f.Was, f.Is))
		}
		if s := strings.Join(got, ", "); err != nil || s != x[2] {
			t.Errorf("%s → %s: %q, want %q, %v", x[0], x[1], s, x[2], err)
		}
	}
	if _, err := view.Changes(nil, json.RawMessage(`{"a":`)); err == nil {
		t.Error("a broken state has fields")
	}
}

// What changed deep in a field is told by its place, unless it is too much.
func TestParts(t *testing.T) {
	f := view.Field{
		Name: "x", By: []string{"a"},
		Was: json.RawMessage(`{"n":1,"same":[1],"list":[{"k":"v","deep":[1]},7],"gone":true,"kind":1}`),
		Is:  json.RawMessage(`{"n":2,"same":[1],"list":[{"k":"w","deep":[1,2]},7,8,9],"kind":"1","new":null}`),
	}
	var got []string
	for _, p := range f.Parts(20) {
		got = append(got, fmt.Sprintf("%s %s → %s +%s %v", p.Name, p.Was, p.Is, p.Added, p.By))
	}
	want := []string{
		"x.n 1 → 2 + [a]", `x.list[0].k "v" → "w" + [a]`, "x.list[0].deep [1] → [1,2] +[2] [a]", "x.list[2]  → 8 + [a]", "x.list[3]  → 9 + [a]",
		`x.kind 1 → "1" + [a]`, "x.new  → null + [a]", "x.gone true →  + [a]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := f.Parts(len(want) - 1); len(got) != 1 || got[0].Name != "x" {
		t.Errorf("%d parts", len(got))
	}
}

// Tasks that were taken from elsewhere, tried again or handled are counted as such, and the
// model calls of an earlier run are not this one's.
func TestCounts(t *testing.T) {
	at := func(task int) []graph.Place { return []graph.Place{{Step: 1, Task: task}} }
	call := json.RawMessage(`{"skill":"s","ok":true,"usage":{"calls":1,"input_tokens":5}}`)
	v, err := view.New([]trace.Record{
		{Kind: "run_start", Graph: "g"},
		{Kind: "model_call", Node: "n", Places: at(0), Data: call, Replayed: true},
		{Kind: "node_update", Node: "n", Places: at(0), Replayed: true},
		{Kind: "node_update", Node: "n", Places: at(1), Cached: true},
		{Kind: "node_start", Node: "n", Places: at(2)},
		{Kind: "node_retry", Node: "n", Places: at(2), Error: "late"},
		{Kind: "node_start", Node: "n", Places: at(2), Attempt: 2},
		{Kind: "model_call", Node: "n", Places: at(2), Data: call},
		{Kind: "node_handled", Node: "n", Places: at(2), Error: "late again"},
		{Kind: "node_update", Node: "n", Places: at(2), Attempt: 2},
		{Kind: "node_error", Node: "n", Places: at(3), Error: "broke"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := view.Ran{Path: "n", Class: view.Failed, Tasks: 4, Supersteps: 1, AtOnce: 4, Again: 1, Replayed: 1, Cached: 1, Handled: 1, Error: "broke", Usage: state.ModelUsage{Calls: 1, InputTokens: 5}}
	if diff := cmp.Diff([]view.Ran{want}, v.Ran()); diff != "" {
		t.Error(diff)
	}
	if n := v.Steps[0].Nodes[2]; n.Handled != "late again" || n.Error != "" || n.Attempts != 2 || v.Total != want.Usage {
		t.Errorf("%+v, %+v", n, v.Total)
	}
}

// A trace that breaks off anywhere is a view: unfinished tasks, and no end.
func TestBrokenOff(t *testing.T) {
	all := play(t, build(t)).trace
	for cut := 1; cut < len(all); cut++ {
		v, err := view.New(all[:cut])
		if err != nil {
			t.Fatal(err)
		}
		started := map[string]int{}
		for _, rec := range all[:cut] {
			switch rec.Kind {
			case "node_start":
				started[fmt.Sprint(rec.Places)] = 1
			case "node_update":
				delete(started, fmt.Sprint(rec.Places))
			}
		}
		open := 0
		for _, s := range v.Steps {
			for _, n := range s.Nodes {
				if n.Unfinished {
					open++
				}
			}
		}
		if v.Ended || open != len(started) {
			t.Errorf("after %d events: ended %t, %d tasks are open of %d", cut, v.Ended, open, len(started))
		}
		check(t, v)
	}
}

// check reports what cannot be true of any view.
func check(t *testing.T, v view.View) {
	t.Helper()
	tasks := 0
	for _, r := range v.Ran() {
		tasks += r.Tasks
		if r.MaxMS > r.MS+1e-9 || r.AtOnce > r.Tasks || r.Supersteps > r.Tasks {
			t.Errorf("node %+v", r)
		}
	}
	there := 0
	for _, s := range v.Steps {
		there += len(s.Nodes)
		for i, n := range s.Nodes {
			if n.Inside >= i || n.Inside >= 0 && !strings.HasPrefix(n.Name, s.Nodes[n.Inside].Name+"/") {
				t.Errorf("%s is in task %d", n.Name, n.Inside)
			}
			if n.Timed && !n.Unfinished && (n.Stop < n.Start || n.Stop > v.LastMS) {
				t.Errorf("%s lasts from %v to %v of %v", n.Name, n.Start, n.Stop, v.LastMS)
			}
		}
	}
	if tasks != there {
		t.Errorf("the nodes have %d tasks, the supersteps %d", tasks, there)
	}
}

// Of the tasks of one node those ask that have no result.
func TestAsked(t *testing.T) {
	place := func(task int) []graph.Place { return []graph.Place{{Step: 1, Task: task}} }
	v, err := view.New([]trace.Record{
		{Kind: "run_start", Graph: "g"}, {Kind: "node_start", Node: "n", Places: place(0)}, {Kind: "node_start", Node: "n", Places: place(1)}, {Kind: "node_start", Node: "m", Places: place(2)},
		{Kind: "node_update", Node: "n", Places: place(0)},
		{Kind: "interrupt", Places: place(3), Interrupts: []graph.PendingInterrupt{{Node: "n", Key: "k"}, {Node: "n", Key: "k"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{nil, {"k"}, nil} {
		if got := v.Steps[0].Nodes[i].Asked; !slices.Equal(got, want) {
			t.Errorf("task %d asks %v", i, got)
		}
	}
}

// A window holds all tasks, and the values of its supersteps alone.
func TestWindow(t *testing.T) {
	run := play(t, build(t))
	_, all := run.views(t, nil)
	_, some := run.views(t, &view.Options{From: 1, Steps: 2})
	if diff := cmp.Diff(all.Ran(), some.Ran()); diff != "" {
		t.Error(diff)
	}
	if all.Total != some.Total || !reflect.DeepEqual(all.Channels, some.Channels) {
		t.Errorf("%+v, %v", some.Total, some.Channels)
	}
	for i := range all.Steps {
		inside := i == 1 || i == 2
		if got := some.Steps[i].Nodes[0].Changed != nil; got != inside {
			t.Errorf("superstep %d: has its writes: %t", i, got)
		}
		if inside && !reflect.DeepEqual(all.Steps[i].Fields, some.Steps[i].Fields) {
			t.Errorf("superstep %d: %v", i, some.Steps[i].Fields)
		}
	}
}

// A server begins a run again when its process died: what was not ended stays so, what was
// saved is told, and the superstep stands there twice.
func TestAgain(t *testing.T) {
	b := view.NewBuilder(nil)
	root := []graph.Place{{Step: 1}}
	for _, ev := range []graph.EventRecord{
		{Kind: "run_attempt", Attempt: 1},
		{Kind: "run_start", Graph: "g", Places: []graph.Place{{Step: -1, Task: -1}}},
		{Kind: "node_start", Node: "a", Places: root, Tasks: []string{"A"}, Step: 1},
		{Kind: "node_start", Node: "b", Places: []graph.Place{{Step: 1, Task: 1}}, Tasks: []string{"B"}, Step: 1},
		{Kind: "node_update", Node: "a", Tasks: []string{"A"}, Step: 1, Update: json.RawMessage(`[{"channel":"x","op":"set","value":1}]`)},
		{Kind: "node_update", Node: "c", Tasks: []string{"C"}, Step: 1, Update: json.RawMessage(`[]`)},
		{Kind: "run_start", Graph: "g"},
		{Kind: "run_attempt", Attempt: 2},
		{Kind: "run_steps", Node: "a", Tasks: []string{"A"}, Step: 1, Text: "of a wire"},
		{Kind: "run_start", Graph: "g", Places: []graph.Place{{Step: 0, Task: -1}}},
		{Kind: "node_start", Node: "b", Places: []graph.Place{{Step: 1, Task: 1}}, Tasks: []string{"B"}, Step: 1},
		{Kind: "node_update", Node: "b", Places: []graph.Place{{Step: 1, Task: 1}}, Tasks: []string{"B"}, Step: 1},
		{Kind: "run_end", Places: []graph.Place{{Step: 2, Task: -1}}},
	} {
		if err := b.Event(ev); err != nil {
			t.Fatal(err)
		}
	}
	v := b.View()
	var got []string
	for _, s := range v.Steps {
		for _, n := range s.Nodes {
			got = append(got, fmt.Sprintf("%d/%d %s unfinished %t, writes %d", s.Step, s.Attempt, n.Name, n.Unfinished, len(n.Changed)))
		}
	}
	want := []string{"1/0 a unfinished false, writes 1", "1/0 b unfinished true, writes 0", "1/0 c unfinished false, writes 0", "1/2 b unfinished false, writes 0"}
	if !slices.Equal(got, want) || v.Attempts != 2 || !v.Ended {
		t.Errorf("%d attempts: %q", v.Attempts, got)
	}
}

// Errors name what cannot be read.
func TestErrors(t *testing.T) {
	if _, err := view.New(nil); err == nil {
		t.Error("an empty trace is a view")
	}
	start := trace.Record{Kind: "run_start", Graph: "g"}
	task := trace.Record{Node: "a", Places: []graph.Place{{Step: 1}}}
	for want, rec := range map[string]trace.Record{
		"a second run begins": start, "reading its time": {Kind: "step_start", Time: "noon"},
		`the update of node "a"`:      {Kind: "node_update", Update: json.RawMessage(`{}`)},
		`a model_call event of node`:  {Kind: "model_call", Data: json.RawMessage(`[]`)},
		`a retrieval event of node "`: {Kind: "retrieval", Data: json.RawMessage(`"x"`)},
	} {
		if rec.Kind != "run_start" && rec.Time == "" {
			rec.Node, rec.Places = task.Node, task.Places
		}
		if _, err := view.New([]trace.Record{start, rec}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Two runs part where they do something else, and not by their times, calls and checkpoints.
func TestCompare(t *testing.T) {
	a, b := play(t, build(t)).trace, play(t, build(t)).trace
	for i := range b { // as on another thread
		if b[i].Checkpoint != "" {
			b[i].Checkpoint, b[i].Parent = b[i].Checkpoint+"x", "y"
		}
		for k := range b[i].Interrupts {
			b[i].Interrupts[k].ID += "z"
		}
	}
	c, err := view.Compare(a, b)
	if err != nil || c.First != nil || len(c.Nodes) > 0 || len(c.Given) > 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	with := func(reply string) []trace.Record {
		app := build(t)
		play(t, app)
		return play(t, app, reply).trace
	}
	a, b = with("yes"), with("no")
	a[0].Header.Config, b[0].Header.Config = map[string]string{"model": "x"}, map[string]string{"model": "y"}
	a[0].Header.Input, b[0].Header.Input = json.RawMessage(`[{"channel":"q","op":"set","value":"wear?"}]`), json.RawMessage(`[{"channel":"q","op":"set","value":"carry?"}]`)
	c, err = view.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	given := []view.Value{{Name: "input q", Was: `"wear?"`, Is: `"carry?"`}, {Name: "model", Was: "x", Is: "y"}}
	nodes := []view.NodeChange{{Node: "ask", Changes: []view.Value{{Name: "reply", Was: `"yes"`, Is: `"no"`}}}, {Node: "last", Changes: []view.Value{
		{Name: "seen", Was: `["last"]`, Is: "absent"}, {Name: "error", Was: "absent", Is: `"running node \"last\" in step 6: the reply is no"`}}}}
	if diff := cmp.Diff(given, c.Given) + cmp.Diff(nodes, c.Nodes); diff != "" {
		t.Error(diff)
	}
	if c.First == nil || c.Step != 5 || !strings.Contains(c.First.Event, `"ask"`) {
		t.Errorf("they part in superstep %d: %v", c.Step, c.First)
	}
	if _, err := view.Compare(a, nil); err == nil {
		t.Error("a run is compared with nothing")
	}
}
