package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// kept is a graph with one channel of a type, which its node writes.
func keptIn[T any](t *testing.T, ch func(at func(*hold1[T]) *T) (graph.Channel[hold1[T]], graph.Write[hold1[T]])) (*graph.Compiled[hold1[T]], error) {
	t.Helper()
	channel, write := ch(func(s *hold1[T]) *T { return &s.V })
	g := graph.NewStateGraph[hold1[T]](channel)
	g.AddNode("n", func(context.Context, hold1[T]) (graph.Update[hold1[T]], error) {
		return graph.Update[hold1[T]]{write}, nil
	})
	g.AddEdge(graph.Start, "n")
	return g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
}

type hold1[T any] struct{ V T }

// last is a LastValue of a type, and a write of v.
func last[T any](v T) func(func(*hold1[T]) *T) (graph.Channel[hold1[T]], graph.Write[hold1[T]]) {
	return func(at func(*hold1[T]) *T) (graph.Channel[hold1[T]], graph.Write[hold1[T]]) {
		ch := graph.LastValue("v", at)
		return ch, ch.Set(v)
	}
}

// Types whose values JSON does not bring back, each in its own way.
type (
	writesOnly struct{ A, B int }
	textOnly   struct{ A int }
	readsOnly  struct{ A int }
	computes   struct{ A int }
	twins      struct {
		A int
		B int `json:"A"`
	}
	secret      struct{ X int }
	embeds      struct{ *secret }
	embedsPlain struct{ secret }
	aliased     struct{ level }
	level       int
	byArray     map[[2]int]string
	byTime      map[time.Time]string
	pointerOnly struct{ hidden int }
	deepTwins   struct{ List []map[string]twins }
	color       string
	tree        struct {
		Name     string
		Children []*tree
		Parent   *tree `json:"-"`
	}
)

func (w writesOnly) MarshalJSON() ([]byte, error) { return json.Marshal(w.A) }
func (x textOnly) MarshalText() ([]byte, error)   { return fmt.Append(nil, x.A), nil }
func (r *readsOnly) UnmarshalJSON(d []byte) error { return json.Unmarshal(d, &r.A) }
func (c computes) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"A":%d,"Double":%d}`, c.A, 2*c.A), nil
}
func (p *pointerOnly) MarshalJSON() ([]byte, error) { return json.Marshal(p.hidden) }
func (p *pointerOnly) UnmarshalJSON(d []byte) error { return json.Unmarshal(d, &p.hidden) }

// A color has no zero value that can be written, as many enumerations.
func (c color) MarshalText() ([]byte, error) {
	if c == "" {
		return nil, errors.New("no color")
	}
	return []byte(c), nil
}

func (c *color) UnmarshalText(d []byte) error { *c = color(d); return nil }

// Compile refuses types that a checkpoint cannot bring back, and names the field.
// Values of accepted types come back.
func TestFindingE4E6CompileTriesTheTypes(t *testing.T) {
	refuses := func(name string, compile func(t *testing.T) error, parts ...string) {
		t.Run("refuses "+name, func(t *testing.T) {
			var problems *graph.CompileError
			err := compile(t)
			if !errors.As(err, &problems) || problems.Problems[0].Node != "v" {
				t.Fatalf("error %v", err)
			}
			for _, part := range parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v; it should say %q", err, part)
				}
			}
		})
	}
	refuses("bytes that are added to", func(t *testing.T) error {
		_, err := keptIn(t, func(at func(*hold1[[]byte]) *[]byte) (graph.Channel[hold1[[]byte]], graph.Write[hold1[[]byte]]) {
			ch := graph.Append("v", at)
			return ch, ch.Add('x')
		})
		return err
	}, "uint8")
	refuses("MarshalJSON alone", refusing(last(writesOnly{})), "cannot unmarshal number")
	refuses("MarshalText alone", refusing(last(textOnly{})), "cannot unmarshal string")
	refuses("UnmarshalJSON alone", refusing(last(readsOnly{})), "cannot unmarshal object")
	refuses("a field that is computed", refusing(last(computes{})), `unknown field "Double"`)
	refuses("equal tags", refusing(last(twins{})), "at A:", "does not bring it back")
	refuses("equal tags, deep", refusing(last(deepTwins{})), "at List[][].A:")
	refuses("an embedded pointer", refusing(last(embeds{})), "at secret:")
	refuses("an embedded number", refusing(last(aliased{level(1)})), "at level:")
	refuses("keys that are lists", refusing(last(byArray{})), "byArray")
	refuses("own methods in a map", refusing(last(map[string]pointerOnly{})), "*graph_test.pointerOnly")

	comesBack(t, []byte("bytes"))
	comesBack(t, embedsPlain{secret{3}})
	comesBack(t, pointerOnly{3})
	comesBack(t, []*pointerOnly{{3}})
	comesBack(t, byTime{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC): "then"})
	comesBack(t, []color{"red"})
	comesBack(t, tree{Name: "a", Children: []*tree{{Name: "b"}}})
	comesBack(t, map[int][]float64{3: {1.5}})
	comesBack(t, "\ufffd \\ufffd <&> é")
	comesBack(t, json.RawMessage(`{"a":"\ufffd"}`))
	comesBack(t, [2]*int{nil, new(int)})
}

func refusing[T any](ch func(func(*hold1[T]) *T) (graph.Channel[hold1[T]], graph.Write[hold1[T]])) func(t *testing.T) error {
	return func(t *testing.T) error { _, err := keptIn(t, ch); return err }
}

// comesBack asserts that a value is saved and read back.
func comesBack[T any](t *testing.T, v T) {
	t.Helper()
	t.Run(fmt.Sprintf("accepts %T", v), func(t *testing.T) {
		app, err := keptIn(t, last(v))
		if err != nil {
			t.Fatal(err)
		}
		out, err := app.Invoke(t.Context(), graph.Update[hold1[T]]{}, &graph.RunOptions{Thread: "1"})
		if err != nil {
			t.Fatal(err)
		}
		s := stateOf(t, app, graph.Key{Thread: "1"})
		if got, want := fmt.Sprintf("%+v", s.State), fmt.Sprintf("%+v", out); got != want && !strings.Contains(want, "0x") {
			t.Errorf("saved %s, and %s came back", want, got)
		}
	})
}

// Text that is not UTF-8 would be changed by JSON: it fails the superstep.
func TestFindingE6TextThatIsNotUTF8(t *testing.T) {
	type note struct {
		Lines map[string][]string
	}
	fails := func(name string, run func(t *testing.T) error, part string) {
		t.Run(name, func(t *testing.T) {
			if err := run(t); err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "UTF-8") {
				t.Errorf("error %v, want one that says %q", err, part)
			}
		})
	}
	fails("a string", failing(last("\xff")), `"v"`)
	fails("a list", failing(last([]string{"a", "b\xff"})), "[1]")
	fails("deep", failing(last(note{map[string][]string{"k": {"\xff"}}})), `Lines["k"][0]`)
	fails("a key", failing(last(note{map[string][]string{"\xff": nil}})), "Lines")
	fails("what Once returned", func(t *testing.T) error {
		app := compileOn(t, memory.New(), wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
			_, err := graph.Once(ctx, "o", func(context.Context) (string, error) { return "\xff", nil })
			return nil, err
		}}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		return err
	}, `"o"`)
	// Nothing is saved of a run without a checkpointer.
	app := mustCompile(t, wire("START -> n", map[string]node{"n": writes(log.Add("\xff"))}))
	p := play(t.Context(), app, update{}, graph.RunOptions{})
	logged(t, p.final, p.err, "\xff")
	if _, err := p.events[len(p.events)-4].UpdateJSON(); err != nil {
		t.Error(err)
	}
}

func failing[T any](ch func(func(*hold1[T]) *T) (graph.Channel[hold1[T]], graph.Write[hold1[T]])) func(t *testing.T) error {
	return func(t *testing.T) error {
		app, err := keptIn(t, ch)
		if err != nil {
			t.Fatal(err)
		}
		_, err = app.Invoke(t.Context(), graph.Update[hold1[T]]{}, &graph.RunOptions{Thread: "1"})
		if s := stateOf(t, app, graph.Key{Thread: "1"}); s.Step != 0 {
			t.Errorf("the superstep is committed: %+v", s)
		}
		return err
	}
}

// The same holds for a saved subgraph.
func TestFindingE6GraphsInsideNodes(t *testing.T) {
	type inner struct{ F func() }
	ch := graph.LastValue("f", func(s *inner) *func() { return &s.F })
	g := graph.NewStateGraph[inner](ch)
	g.AddNode("i", func(context.Context, inner) (graph.Update[inner], error) { return nil, nil })
	g.AddEdge(graph.Start, "i")
	child := mustCompile(t, g)
	run := func(ctx context.Context, _ board) (update, error) {
		_, err := child.Invoke(ctx, graph.Update[inner]{}, nil)
		return nil, err
	}
	app := compileOn(t, memory.New(), wire("START -> n", map[string]node{"n": run}))
	var problems *graph.CompileError
	if _, err := app.Invoke(t.Context(), update{}, on("1")); !errors.As(err, &problems) || !strings.Contains(err.Error(), "func()") {
		t.Errorf("error %v", err)
	}
	out, err := mustCompile(t, wire("START -> n", map[string]node{"n": run})).Invoke(t.Context(), update{}, nil)
	logged(t, out, err)
}

// crate is a state that plain JSON does not bring back: its channels do.
type crate struct {
	hidden  string
	Skipped int `json:"-"`
	Label   string
	Loose   string // has no channel
	lost    string // likewise
	Conn    func()
	Out     []string
}

type (
	crateUpdate = graph.Update[crate]
	crateSend   = graph.Send[crate]
)

var (
	crateHidden  = graph.LastValue("hidden", func(s *crate) *string { return &s.hidden })
	crateSkipped = graph.LastValue("skipped", func(s *crate) *int { return &s.Skipped })
	crateLabel   = graph.LastValue("label", func(s *crate) *string { return &s.Label })
	crateConn    = graph.Untracked("conn", func(s *crate) *func() { return &s.Conn })
	crateOut     = graph.Append("out", func(s *crate) *[]string { return &s.Out })
)

// A Send is saved as the state is, channel by channel, whether a router or a
// command sends it.
func TestFindingE5SendsAreSavedAsTheStateIs(t *testing.T) {
	build := func(saver graph.Checkpointer, byCommand bool, sends ...crateSend) *graph.Compiled[crate] {
		g := graph.NewStateGraph[crate](crateHidden, crateSkipped, crateLabel, crateConn, crateOut)
		broken := true
		g.AddNode("w", func(_ context.Context, s crate) (crateUpdate, error) {
			if broken {
				broken = false
				return nil, errBoom
			}
			return crateUpdate{crateOut.Add(fmt.Sprint(s.hidden, s.Skipped, s.Label, s.Loose))}, nil
		})
		if byCommand {
			// Beside it one fails, so that the command is read from the record, too.
			first := true
			g.AddNode("s", func(context.Context, crate) (crateUpdate, error) {
				return crateUpdate{graph.Goto[crate]().Sends(sends...)}, nil
			}, graph.NodeOptions[crate]{Goto: []string{"w"}})
			g.AddNode("t", func(ctx context.Context, _ crate) (crateUpdate, error) {
				if first {
					first = false
					return nil, errBoom
				}
				return nil, nil
			})
			g.AddEdge(graph.Start, "t")
		} else {
			g.AddNode("s", func(context.Context, crate) (crateUpdate, error) { return nil, nil })
			g.AddConditionalEdges("s", func(context.Context, crate) (graph.Route, error) { return graph.Sends(sends...), nil }, "w")
		}
		g.AddEdge(graph.Start, "s")
		return compileOn(t, saver, g)
	}
	for _, byCommand := range []bool{false, true} {
		for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityExit} {
			app := build(memory.New(), byCommand, crateSend{Node: "w", State: crate{hidden: "h", Skipped: 7, Label: "l", Loose: "o"}}, crateSend{Node: "w", State: crate{hidden: "g"}})
			opts := &graph.RunOptions{Thread: "1", Durability: durability, Concurrency: 1}
			out, err := app.Invoke(t.Context(), crateUpdate{}, opts)
			for range 4 {
				if errors.Is(err, errBoom) {
					out, err = app.Resume(t.Context(), nil, opts)
				}
			}
			if err != nil || strings.Join(out.Out, " ") != "h7lo g0" {
				t.Errorf("by command %t: %q, error %v", byCommand, out.Out, err)
			}
		}
		for part, state := range map[string]crate{"lost": {lost: "x"}, "conn": {Conn: func() {}}} {
			app := build(memory.New(), byCommand, crateSend{Node: "w", State: state})
			opts := &graph.RunOptions{Thread: "1"}
			_, err := app.Invoke(t.Context(), crateUpdate{}, opts)
			if errors.Is(err, errBoom) {
				_, err = app.Resume(t.Context(), nil, opts)
			}
			if err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), `"w"`) {
				t.Errorf("by command %t, a Send whose %s cannot be saved: %v", byCommand, part, err)
			}
		}
	}
}

// A field that was renamed since a thread was saved is not read as empty.
func TestFindingE14RenamedFields(t *testing.T) {
	type before struct{ Old int }
	type after struct{ New int }
	type more struct{ Old, New int }
	saver := memory.New()
	first := compiledHold[before](t, saver)
	if _, err := first.app.Invoke(t.Context(), graph.Update[hold1[before]]{first.ch.Set(before{3})}, &graph.RunOptions{Thread: "1"}); err != nil {
		t.Fatal(err)
	}
	renamed := compiledHold[after](t, saver)
	_, err := renamed.app.State(t.Context(), graph.Key{Thread: "1"})
	_, run := renamed.app.Invoke(t.Context(), graph.Update[hold1[after]]{}, &graph.RunOptions{Thread: "1"})
	for _, err := range []error{err, run} {
		if err == nil || !strings.Contains(err.Error(), `"Old"`) || !strings.Contains(err.Error(), "CompileOptions.Migrate") {
			t.Errorf("error %v", err)
		}
	}
	// A field that was added is empty.
	if s := stateOf(t, compiledHold[more](t, saver).app, graph.Key{Thread: "1"}); s.State.V != (more{3, 0}) {
		t.Errorf("state %+v", s.State)
	}
}

type holdApp[T any] struct {
	app *graph.Compiled[hold1[T]]
	ch  *graph.LastValueChannel[hold1[T], T]
}

func compiledHold[T any](t *testing.T, saver graph.Checkpointer) holdApp[T] {
	ch := graph.LastValue("v", func(s *hold1[T]) *T { return &s.V })
	g := graph.NewStateGraph[hold1[T]](ch)
	g.AddNode("n", func(context.Context, hold1[T]) (graph.Update[hold1[T]], error) { return nil, nil })
	g.AddEdge(graph.Start, "n")
	return holdApp[T]{compileOn(t, saver, g), ch}
}

// A Send that waits is migrated as the state is.
func TestFindingE14SendsAreMigrated(t *testing.T) {
	saver := memory.New()
	build := func(label *graph.LastValueChannel[crate, string], opts *graph.CompileOptions) *graph.Compiled[crate] {
		g := graph.NewStateGraph[crate](label, crateOut)
		g.AddNode("w", func(_ context.Context, s crate) (crateUpdate, error) { return crateUpdate{crateOut.Add(s.Label)}, nil })
		g.AddConditionalEdges(graph.Start, func(context.Context, crate) (graph.Route, error) {
			return graph.Sends(crateSend{Node: "w", State: crate{Label: "sent"}}, crateSend{Node: "w"}), nil
		}, "w")
		opts.Checkpointer = saver
		app, err := g.Compile(opts)
		if err != nil {
			t.Fatal(err)
		}
		return app
	}
	opts := &graph.RunOptions{Thread: "1"}
	var stopped *graph.InterruptedError
	old := build(crateLabel, &graph.CompileOptions{InterruptBefore: []string{"w"}})
	if _, err := old.Invoke(t.Context(), crateUpdate{}, opts); !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	title := graph.LastValue("title", func(s *crate) *string { return &s.Label })
	out, err := build(title, &graph.CompileOptions{Version: 1, Migrate: func(m *graph.Migration) error {
		if v, ok := m.Values["label"]; ok {
			m.Values["title"] = v
			delete(m.Values, "label")
		}
		return nil
	}}).Resume(t.Context(), nil, opts)
	if err != nil || strings.Join(out.Out, ",") != "sent," {
		t.Errorf("%q, error %v", out.Out, err)
	}
}

// A value in an interface keeps its type, or the superstep fails.
func TestFindingE18AnInterfaceKeepsItsTypes(t *testing.T) {
	type loose struct {
		Any  any
		Map  map[string]any
		List []any
	}
	value := graph.LastValue("any", func(s *loose) *any { return &s.Any })
	table := graph.Reduce("map", func(s *loose) *map[string]any { return &s.Map }, func(_, m map[string]any) map[string]any { return m })
	list := graph.Append("list", func(s *loose) *[]any { return &s.List })
	var none []any
	for name, c := range map[string]struct {
		write graph.Write[loose]
		want  string // of the error
	}{
		"what JSON has": {table.Add(map[string]any{"s": "s", "f": 1.5, "b": true, "n": nil, "l": []any{"x", map[string]any{"f": 3.0}}}), ""},
		"int":           {value.Set(7), `channel "any": an interface holds a value of type int, which JSON brings back as another type: use a float64`},
		"int64 in it":   {table.Add(map[string]any{"l": []any{int64(7)}}), `channel "map": an interface at ["l"][0] holds a value of type int64`},
		"bytes":         {list.Add("a", []byte("b")), `channel "list": an interface at [1] holds a value of type []uint8`},
		"time":          {value.Set(time.Time{}), "a value of type time.Time"},
		"nil list":      {value.Set(none), "a value of type []interface {}"},
	} {
		for _, mode := range durabilities {
			t.Run(fmt.Sprint(name, mode), func(t *testing.T) {
				g := graph.NewStateGraph[loose](value, table, list)
				g.AddNode("n", func(context.Context, loose) (graph.Update[loose], error) {
					return graph.Update[loose]{c.write}, nil
				})
				g.AddEdge(graph.Start, "n")
				app := compileOn(t, memory.New(), g)
				out, err := app.Invoke(t.Context(), graph.Update[loose]{}, &graph.RunOptions{Thread: "1", Durability: mode})
				if c.want != "" {
					if err == nil || !strings.Contains(err.Error(), c.want) {
						t.Errorf("error %v, want %q", err, c.want)
					}
					return
				}
				if s := stateOf(t, app, graph.Key{Thread: "1"}); err != nil || !reflect.DeepEqual(out, s.State) {
					t.Errorf("%+v came back as %+v, error %v", out, s.State, err)
				}
			})
		}
	}
	once := func(ctx context.Context, _ board) (update, error) {
		_, err := graph.Once(ctx, "k", func(context.Context) (map[string]any, error) { return map[string]any{"n": 1}, nil })
		return nil, err
	}
	if _, err := compileOn(t, memory.New(), wire("START -> n", map[string]node{"n": once})).Invoke(t.Context(), update{}, on("1")); err == nil || !strings.Contains(err.Error(), `at ["n"] holds a value of type int`) {
		t.Errorf("Once: %v", err)
	}
}
