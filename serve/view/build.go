package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/state/event"
)

// Options select the content of a view. Nil is the zero value.
type Options struct {
	// From and Steps select supersteps by position, from 0. For other supersteps the view has only
	// their tasks with times and counts: no calls, hits, changes and states. Default: all.
	From, Steps int
	// Live says that the run has not ended: a task without an end is running.
	Live bool
	// State returns the state after a superstep, and whether it is known. Default: unknown.
	State func(step int) (json.RawMessage, bool)
}

// A Builder makes a View from events that come one at a time. Its memory grows with the number of
// tasks, and with the values in the selected supersteps.
type Builder struct {
	opts  Options
	view  View
	at    map[[2]int]int   // position of the step, by attempt and superstep
	open  map[string]*task // by place
	saved map[string]*task // by ID
	tasks [][]*task        // by position of the step
	// first and last are when events happened. Zero in a normalised trace.
	first, last time.Time
	writers     map[[2]string]*Channel
	key         []byte
}

// A task is an incomplete Node.
type task struct {
	Node
	at int // position of the task's step
}

// An event is a record with the fields that a trace leaves out.
type happening struct {
	trace.Record
	when  time.Time
	tasks []string
	step  int
}

// NewBuilder returns an empty builder.
func NewBuilder(opts *Options) *Builder {
	b := &Builder{
		view: View{Schema: 1, Steps: []Step{}}, at: map[[2]int]int{}, open: map[string]*task{}, saved: map[string]*task{},
		writers: map[[2]string]*Channel{},
	}
	if opts != nil {
		b.opts, b.view.Live = *opts, opts.Live
	}
	return b
}

// Trace adds a record of a trace. It returns an error when a second run begins.
func (b *Builder) Trace(rec trace.Record) error {
	if rec.Kind == graph.RunStart.String() && rec.Namespace == "" && b.view.Graph != "" {
		return fmt.Errorf("a second run begins: show one trace at a time")
	}
	ev := happened(rec)
	if rec.Time != "" {
		when, err := time.Parse(time.RFC3339Nano, rec.Time)
		if err != nil {
			return fmt.Errorf("reading its time: %w", err)
		}
		ev.when = when
	}
	return b.add(ev)
}

func happened(rec trace.Record) happening {
	ev := happening{Record: rec}
	if len(rec.Places) > 0 {
		ev.step = rec.Places[0].Step
	}
	return ev
}

// kindAttempt is the kind of the event with which a server begins an attempt at a run.
const kindAttempt = "run_attempt"

// Event adds an event of a server's log. It skips kinds that are not a graph's.
func (b *Builder) Event(rec graph.EventRecord) error {
	kind := graph.KindNamed(rec.Kind)
	switch {
	case rec.Kind == kindAttempt:
		b.view.Attempts = rec.Attempt
		clear(b.open) // tasks of an earlier attempt never end
		return nil
	case kind == 0 || kind == graph.NodeToken:
		return nil
	}
	return b.add(happening{Record: trace.Of(rec), when: rec.Time, tasks: rec.Tasks, step: rec.Step})
}

func (b *Builder) add(ev happening) error {
	if !ev.when.IsZero() {
		if b.first.IsZero() {
			b.first = ev.when
		}
		if ev.when.After(b.last) {
			b.last = ev.when
		}
	}
	root := ev.Namespace == ""
	switch graph.KindNamed(ev.Kind) {
	case graph.RunStart:
		if root {
			b.begin(ev.Record)
		}
	case graph.RunEnd:
		if root {
			b.end(ev.Record)
		}
	case graph.RunInterrupt:
		if root {
			b.view.Interrupts = ev.Interrupts
		}
		b.ask(ev.Record)
	case graph.CheckpointSaved:
		if at, ok := b.at[[2]int{b.attempt(), ev.step}]; root && ok {
			b.view.Steps[at].Checkpoint = ev.Checkpoint
		}
	case graph.StateValue, graph.StepStart:
	default:
		if ev.Node != "" && len(ev.Places)+len(ev.tasks) > 0 {
			return b.happened(b.task(ev), ev)
		}
	}
	return nil
}

func (b *Builder) begin(rec trace.Record) {
	v := &b.view
	if v.Graph == "" {
		v.Started = rec.Time
		if len(rec.Places) > 0 {
			v.Continued = max(0, rec.Places[0].Step)
		}
	}
	v.Graph, v.Fingerprint, v.Error = rec.Graph, rec.Fingerprint, ""
	if rec.Header != nil {
		v.Header = rec.Header
	}
}

func (b *Builder) end(rec trace.Record) {
	v := &b.view
	v.Ended, v.ElapsedMS, v.Error, v.End = true, float64(rec.ElapsedUS)/1000, rec.Error, rec.End
	if v.Attempts > 1 {
		v.ElapsedMS = ms(b.last.Sub(b.first)) // rec only covers the last attempt
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// attempt returns the attempt at the run, as in Step.
func (b *Builder) attempt() int {
	if b.view.Attempts < 2 {
		return 0
	}
	return b.view.Attempts
}

// detailed reports whether the view holds everything about a step.
func (b *Builder) detailed(at int) bool {
	return b.opts.Steps == 0 || at >= b.opts.From && at < b.opts.From+b.opts.Steps
}

// task returns an event's task, and begins it if needed.
func (b *Builder) task(ev happening) *task {
	places, step, id := ev.Places, ev.step, ""
	if len(ev.tasks) > 0 && len(ev.tasks) >= len(places) {
		id = ev.tasks[len(ev.tasks)-1]
	}
	b.key = b.key[:0]
	for _, p := range places {
		b.key = append(strconv.AppendInt(append(strconv.AppendInt(b.key, int64(p.Step), 10), '.'), int64(p.Task), 10), '/')
	}
	t := b.open[string(b.key)]
	if len(places) == 0 {
		t = b.saved[id] // a server knows it from a checkpoint, after its process died
	} else {
		step = places[0].Step
	}
	if t != nil {
		return t
	}
	where := [2]int{b.attempt(), step}
	at, ok := b.at[where]
	if !ok {
		at = len(b.tasks)
		b.at[where] = at
		b.view.Steps = append(b.view.Steps, Step{Step: step, Attempt: b.attempt()})
		b.tasks = append(b.tasks, nil)
	}
	if len(places) == 0 {
		places = []graph.Place{{Step: step, Task: len(b.tasks[at])}}
	}
	t = &task{Node{Name: path(ev.Namespace, ev.Node), Attempts: 1, Unfinished: true, Superstep: places[len(places)-1].Step, places: places}, at}
	if !ev.when.IsZero() {
		t.Timed, t.Start = true, ms(ev.when.Sub(b.first))
	}
	b.tasks[at] = append(b.tasks[at], t)
	if len(ev.Places) > 0 {
		b.open[string(b.key)] = t
	}
	if id != "" {
		b.saved[id] = t
	}
	return t
}

func path(namespace, node string) string {
	if namespace == "" {
		return node
	}
	return namespace + "/" + node
}

// happened adds an event to its task.
func (b *Builder) happened(t *task, ev happening) error {
	switch graph.KindNamed(ev.Kind) {
	case graph.NodeStart:
		t.Attempts = max(ev.Attempt, 1)
	case graph.NodeRetry:
		t.Error = ev.Error
	case graph.NodeHandled:
		t.Handled = ev.Error
	case graph.NodeFailed:
		t.Error = ev.Error
		b.stop(t, ev)
	case graph.NodeUpdate:
		t.Error, t.Replayed, t.Cached = "", ev.Replayed, ev.Cached
		b.stop(t, ev)
		return b.update(t, ev.Record)
	default:
		return b.custom(t, ev.Record)
	}
	return nil
}

func (b *Builder) stop(t *task, ev happening) {
	t.Unfinished, t.Asked, t.MS = false, nil, float64(ev.ElapsedUS)/1000
	t.Timed = t.Timed && !ev.when.IsZero() && len(ev.Places) > 0 // other times are those of checkpoints
	if t.Timed {
		t.Stop = max(t.Start, ms(ev.when.Sub(b.first)))
	}
}

func (b *Builder) update(t *task, rec trace.Record) error {
	if len(rec.Update) == 0 {
		return nil
	}
	if err := json.Unmarshal(rec.Update, &t.Changed); err != nil {
		return fmt.Errorf("reading the update of node %q: %w", t.Name, err)
	}
	for _, channel := range t.Wrote() {
		b.wrote(rec.Namespace, channel, t)
	}
	if !b.detailed(t.at) {
		t.Changed = nil
	}
	return nil
}

// wrote records that a task wrote a channel.
func (b *Builder) wrote(namespace, channel string, t *task) {
	key := [2]string{namespace, channel}
	if b.writers[key] == nil {
		b.writers[key] = &Channel{Namespace: namespace, Name: channel}
	}
	c := b.writers[key]
	for _, w := range t.Changed {
		if w.Channel == channel && w.Value != nil {
			c.Last = w.Value
		}
	}
	at := slices.IndexFunc(c.Writers, func(w Writer) bool { return w.Node == t.Name })
	if at < 0 {
		at = len(c.Writers)
		c.Writers = append(c.Writers, Writer{Node: t.Name})
	}
	c.Writers[at].Times++
}

// custom adds a node's custom event.
func (b *Builder) custom(t *task, rec trace.Record) error {
	switch rec.Kind {
	case event.ModelCall:
		var call event.Call
		if err := decode(rec, &call); err != nil {
			return err
		}
		if !rec.Replayed {
			sum := call.Usage
			if t.Usage != nil {
				sum = sum.Plus(*t.Usage)
			}
			t.Usage = &sum
		}
		if b.detailed(t.at) {
			t.ModelCalls = append(t.ModelCalls, call)
		}
	case event.Retrieval:
		if !b.detailed(t.at) {
			return nil
		}
		var found event.Search
		if err := decode(rec, &found); err != nil {
			return err
		}
		t.Retrievals = append(t.Retrievals, found)
	default:
		if b.detailed(t.at) {
			t.Custom = append(t.Custom, rec.Kind+told(rec))
		}
	}
	return nil
}

// mostShown bounds the arguments of a call in a line, in bytes.
const mostShown = 300

// told describes an event of a call of another server's tool; "" for other events.
func told(rec trace.Record) string {
	var call struct {
		Server    string          `json:"server"`
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Bytes     int             `json:"bytes"`
		Orders    []string        `json:"orders"`
		Error     string          `json:"error"`
	}
	if !strings.HasPrefix(rec.Kind, "mcp_") || json.Unmarshal(rec.Data, &call) != nil {
		return ""
	}
	text := fmt.Sprintf(": %s of %s", call.Tool, call.Server)
	switch {
	case call.Arguments != nil:
		shown := string(call.Arguments)
		if len(shown) > mostShown {
			shown = strings.ToValidUTF8(shown[:mostShown-len("…")], "") + "…"
		}
		text += " " + shown
	case call.Error != "":
		text += ", failed: " + call.Error
	default:
		text += fmt.Sprintf(", %d bytes", call.Bytes)
	}
	if len(call.Orders) > 0 {
		text += ", reads as an order: " + strings.Join(call.Orders, ", ")
	}
	return text
}

func decode[T any](rec trace.Record, to *T) error {
	if err := json.Unmarshal(rec.Data, to); err != nil {
		return fmt.Errorf("reading a %s event of node %q: %w", rec.Kind, rec.Node, err)
	}
	return nil
}

// ask marks the tasks that wait for an answer, and the tasks around them. A superstep ends before
// its run stops for a question, so its tasks without a result are the ones that asked.
func (b *Builder) ask(rec trace.Record) {
	if len(rec.Interrupts) == 0 || len(rec.Places) == 0 {
		return
	}
	at, ok := b.at[[2]int{b.attempt(), rec.Places[0].Step}]
	if !ok {
		return
	}
	for _, n := range b.tasks[at] {
		for _, q := range rec.Interrupts {
			asker := path(q.Namespace, q.Node)
			if n.Unfinished && (asker == n.Name || strings.HasPrefix(asker, n.Name+"/")) && !slices.Contains(n.Asked, q.Key) {
				n.Asked = append(n.Asked, q.Key)
			}
		}
	}
}

// View returns the view of the events so far.
func (b *Builder) View() View {
	v := b.view
	v.Steps = slices.Clone(v.Steps)
	for at, tasks := range b.tasks {
		s := &v.Steps[at]
		sorted := slices.Clone(tasks)
		slices.SortStableFunc(sorted, func(a, b *task) int {
			return slices.CompareFunc(a.places, b.places, func(p, q graph.Place) int {
				return cmp.Or(cmp.Compare(p.Step, q.Step), cmp.Compare(p.Task, q.Task))
			})
		})
		s.Nodes = make([]Node, len(sorted))
		for i, n := range sorted {
			s.Nodes[i] = n.Node
			s.Nodes[i].Inside, s.Nodes[i].Class = around(s.Nodes[:i], n.places), n.class(b.opts.Live)
		}
		b.fields(at, s)
	}
	for _, c := range b.writers {
		v.Channels = append(v.Channels, Channel{c.Namespace, c.Name, slices.Clone(c.Writers), c.Last})
	}
	slices.SortFunc(v.Channels, func(a, b Channel) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	if b.opts.State != nil && b.opts.Steps == 0 {
		b.ends(&v)
	}
	v.LastMS = ms(b.last.Sub(b.first))
	v.count()
	return v
}

// around returns the task that contains a place, among earlier ones.
func around(before []Node, places []graph.Place) int {
	for at := len(before) - 1; at >= 0; at = before[at].Inside {
		if n := len(before[at].places); n < len(places) && slices.Equal(before[at].places, places[:n]) {
			return at
		}
	}
	return -1
}
