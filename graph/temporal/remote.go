package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"example.com/assay/graph"
)

// A runner sends the tasks of a stretch to other processes.
type runner struct {
	*activities
	in stretch

	mu    sync.Mutex
	steps map[string]*taskRun // by the ID of its workflow
}

func (a *activities) elsewhere(in stretch) *runner {
	return &runner{activities: a, in: in, steps: map[string]*taskRun{}}
}

// run is the graph.RemoteRunner of a stretch.
func (r *runner) run(ctx context.Context, t graph.RemoteTask) (json.RawMessage, error) {
	input, err := r.put(ctx, t.Input)
	if err != nil {
		return nil, err
	}
	id := t.ID
	t.Input = nil
	got := make(chan outcome, 1)
	of := r.of(t)
	of.add(task{ID: id, Task: t, Input: input, Config: r.in.Config}, got)
	select {
	case out := <-got:
		if out.Failed != "" {
			return nil, errors.New(out.Failed)
		}
		return r.get(ctx, out.Update)
	case <-of.dead:
		return nil, of.err
	case <-ctx.Done(): // nobody waits for it any more
		of.drop(id)
		return nil, context.Cause(ctx)
	}
}

// of returns the workflow for a task's superstep and queue. It ends workflows of earlier
// supersteps.
func (r *runner) of(t graph.RemoteTask) *taskRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := fmt.Sprintf("tasks %s %s %d %s", r.in.Thread, r.in.RunID, t.Step, t.Queue)
	if r.steps[id] == nil {
		for _, earlier := range r.steps {
			if earlier.step < t.Step {
				earlier.end()
			}
		}
		w := &taskRun{conn: r.conn, version: r.version(), id: id, queue: t.Queue, home: r.Queue, step: t.Step, waiting: map[string]chan outcome{}, more: make(chan struct{}, 1), dead: make(chan struct{}), ended: make(chan struct{})}
		r.steps[id] = w
		go w.drive()
	}
	return r.steps[id]
}

// close ends the stretch's remaining tasks.
func (r *runner) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.steps {
		w.end()
	}
}

// A taskRun is the stretch's side of a workflow of tasks.
type taskRun struct {
	conn        client.Client
	version     client.VersioningOverride // of the run
	id          string
	queue, home string
	step        int

	mu      sync.Mutex
	adding  []task
	waiting map[string]chan outcome
	more    chan struct{} // there are tasks to add
	ended   chan struct{} // no more tasks will come
	once    sync.Once
	dead    chan struct{} // the workflow cannot be reached; err says why
	err     error
}

func (w *taskRun) add(t task, got chan outcome) {
	w.mu.Lock()
	w.adding, w.waiting[t.ID] = append(w.adding, t), got
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *taskRun) drop(id string) {
	w.mu.Lock()
	delete(w.waiting, id)
	w.mu.Unlock()
	_ = w.conn.SignalWorkflow(context.Background(), w.id, "", signalDrop, []string{id}) // without it the task runs on in vain
}

func (w *taskRun) end() { w.once.Do(func() { close(w.ended) }) }

// gather is how long the runner waits for tasks that begin together, and breath how long for
// outcomes.
const gather, breath = 5 * time.Millisecond, 50 * time.Millisecond

// drive adds tasks to the workflow and takes their outcomes until the end. It outlives the contexts
// of single tasks.
func (w *taskRun) drive() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	taken := make(chan error, 1)
	begun := false
	for {
		select {
		case <-w.more:
			time.Sleep(gather)
			if err := w.send(ctx); err != nil {
				w.fail(err)
				return
			}
			if !begun {
				begun = true
				go func() { taken <- w.take(ctx) }()
			}
		case err := <-taken:
			w.fail(err)
			return
		case <-w.ended:
			if begun {
				_ = w.conn.SignalWorkflow(ctx, w.id, "", signalDone, nil) // without it the workflow ends at its time limit
			}
			return
		}
	}
}

func (w *taskRun) fail(err error) {
	w.err = fmt.Errorf("running tasks on queue %q: %w", w.queue, err)
	close(w.dead)
}

// send adds the waiting tasks, in batches as large as the server accepts.
func (w *taskRun) send(ctx context.Context) error {
	w.mu.Lock()
	list := w.adding
	w.adding = nil
	w.mu.Unlock()
	for len(list) > 0 {
		n, size := 0, 0
		for n < len(list) && (n == 0 || size < maxPage) {
			size += len(list[n].Input.JSON) + 500
			n++
		}
		_, err := w.conn.SignalWithStartWorkflow(ctx, w.id, signalAdd, list[:n], client.StartWorkflowOptions{
			TaskQueue: w.home, WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, VersioningOverride: w.version,
		}, workflowTasks, w.queue)
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// take delivers outcomes. The longer a superstep takes, the more outcomes it collects at a time: a
// server limits the number of updates of a workflow.
func (w *taskRun) take(ctx context.Context) error {
	seen, began, failures := 0, time.Now(), 0
	for ctx.Err() == nil {
		var list []outcome
		h, err := w.conn.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: w.id, UpdateName: updateTake, Args: []any{seen}, WaitForStage: client.WorkflowUpdateStageCompleted})
		if err == nil {
			err = h.Get(ctx, &list)
		}
		if err != nil {
			if failures++; failures > 20 {
				return err
			}
			time.Sleep(time.Duration(failures) * breath)
			continue
		}
		failures = 0
		seen += len(list)
		w.mu.Lock()
		for _, o := range list {
			if got := w.waiting[o.ID]; got != nil {
				got <- o
				delete(w.waiting, o.ID)
			}
		}
		w.mu.Unlock()
		time.Sleep(max(breath, time.Since(began)/200))
	}
	return context.Cause(ctx)
}

// task is the activity of a remote task.
func (a *activities) task(ctx context.Context, in task) (payload, error) {
	defer beat(ctx)()
	app, release, err := a.open(ctx, in.Task.Graph, in.Task.Fingerprint, in.Config)
	if err != nil {
		return payload{}, err
	}
	defer release()
	if in.Task.Input, err = a.get(ctx, in.Input); err != nil {
		return payload{}, err
	}
	data, err := app.RunTask(ctx, in.Task)
	switch {
	case err == nil:
		return a.put(ctx, data)
	case ctx.Err() != nil:
		return payload{}, temporal.NewCanceledError(err.Error())
	}
	return payload{}, temporal.NewNonRetryableApplicationError(err.Error(), errFailed, err)
}

// plain returns the message of a workflow's error, without the names around it.
func plain(err error) error {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return errors.New(app.Message())
	}
	if temporal.IsCanceledError(err) {
		return fmt.Errorf("it was cancelled: %w", context.Canceled)
	}
	return err
}
