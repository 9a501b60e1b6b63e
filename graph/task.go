package graph

import "context"

// Info is a node's place in its run.
type Info struct {
	Run     string // RunOptions.RunID of the outermost run; empty for a run that was given none
	Thread  string // the thread that saves the run, also for a graph inside a node; empty when nothing is saved
	Node    string
	Step    int // superstep, 1 for a thread's first
	Task    int // position among the superstep's tasks, 0 for the first
	Send    int // position among its Sends, 1 for the first; 0 when edges triggered the node
	Attempt int // 1 for the first, 2 for the first retry
	Limit   int // recursion limit: supersteps that this call may run

	first int // the superstep before this call's first
}

// RemainingSteps returns how many supersteps may follow this one.
func (i Info) RemainingSteps() int { return i.Limit - (i.Step - i.first) }

// IsLastStep reports whether exactly one superstep may follow. It is the last
// chance to route to a closing node.
func (i Info) IsLastStep() bool { return i.RemainingSteps() == 1 }

// CurrentTask returns the place of the node that runs in ctx. It returns false
// outside a run.
func CurrentTask(ctx context.Context) (Info, bool) {
	t := taskFrom(ctx)
	if t == nil {
		return Info{}, false
	}
	thread := ""
	if l := t.run.pos.ledger; l != nil {
		thread = l.thread
	}
	return Info{
		Run: t.run.label, Thread: thread, Node: t.name(), Step: int(t.step), Task: int(t.place), Send: int(t.send), Attempt: int(t.attempt),
		Limit: t.run.pos.how.Limit, first: t.run.pos.machine.First(),
	}, true
}

// A task is one execution of a node. It is the node's context, so Emit and
// inner runs find the stream.
type task struct {
	context.Context
	node    int32
	step    int32
	place   int32 // among the superstep's tasks, from 0
	send    int32 // among its Sends, from 1; 0 for none
	attempt int32 // from 1
	run     *run
	watch   *watch   // nil without a timeout
	journal *journal // nil when the run is not saved
}

func (t *task) name() string { return t.run.program.nodes[t.node].name }

// at returns the task's place in its run.
func (t *task) at() Place { return Place{int(t.step), int(t.place)} }

// ids is the task's ID as events have it; nil when the run is not saved.
func (t *task) ids() []string {
	if t.journal == nil {
		return nil
	}
	return []string{t.journal.identity()}
}

type taskKey struct{}

// Value returns the task for its own key. A task is thus a context without a
// second allocation.
func (t *task) Value(key any) any {
	if _, ok := key.(taskKey); ok {
		return t
	}
	return t.Context.Value(key)
}

func taskFrom(ctx context.Context) *task {
	t, _ := ctx.Value(taskKey{}).(*task)
	return t
}

// next returns the task for another attempt.
func (t *task) next() *task {
	again := *t
	again.attempt++
	return &again
}

func (t *task) listens(k EventKind) bool { return t.run.modes.Wants(k) }

// emit publishes an event of the task to a reader of its kind.
func (t *task) emit(ev foreign) {
	if t.listens(ev.Kind) {
		ev.Places, ev.Step, ev.Node, ev.Attempt = []Place{t.at()}, int(t.step), t.name(), int(t.attempt)
		ev.tasks.ids, ev.Send = t.ids(), int(t.send)
		t.publish(event{foreign: ev})
	}
}

// publish forwards an event of the task, or of a graph inside it. A wait for
// the stream's reader does not count as the node's time.
func (t *task) publish(ev event) {
	if t.watch != nil {
		t.watch.wait()
		defer t.watch.resume()
	}
	t.run.out.publish(ev)
}
