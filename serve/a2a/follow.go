package a2a

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// send begins a task, or answers its question, and waits for its end or its next question.
func (c *call) send(in *a2a.SendMessageRequest) (any, error) {
	t, err := c.begin(in)
	if err != nil {
		return nil, err
	}
	if !in.Config.ReturnImmediately {
		if _, err := c.Wait(c.ctx(), t.last().ID); err != nil {
			return nil, err
		}
		if t, err = c.task(c.ctx(), t.info().TaskID); err != nil {
			return nil, err
		}
	}
	shown, err := c.show(c.ctx(), t, in.Config.HistoryLength, true)
	return a2a.StreamResponse{Event: shown}, err
}

func (c *call) sendStreaming(in *a2a.SendMessageRequest) (any, error) {
	t, err := c.begin(in)
	if err != nil {
		return nil, err
	}
	return c.follow(t, false), nil
}

func (c *call) subscribe(in *a2a.SubscribeToTaskRequest) (any, error) {
	t, err := c.task(c.ctx(), in.ID)
	if err != nil {
		return nil, err
	}
	now, err := c.status(c.ctx(), t)
	if err == nil && now.State.Terminal() {
		err = fmt.Errorf("%w: the task's state is %s: get it instead", a2a.ErrUnsupportedOperation, now.State)
	}
	if err != nil {
		return nil, err
	}
	return c.follow(t, true), nil
}

// pause is how often a subscriber's task that waits for an answer is looked at.
const pause = 500 * time.Millisecond

// follow tells a task as it is, and then what happens to it until its end; without stay only until
// its next question. It tells a run that executes from its beginning.
func (c *call) follow(t task, stay bool) updates {
	return func(ctx context.Context) iter.Seq2[a2a.Event, error] {
		return func(yield func(a2a.Event, error) bool) {
			shown, err := c.show(ctx, t, nil, true)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(shown, nil) {
				return
			}
			for !shown.Status.State.Terminal() {
				run, said := t.last().ID, shown.Status.State
				switch {
				case !t.last().Status.Ended():
					if !c.told(ctx, t, yield) {
						return
					}
				case !stay:
					return
				default:
					select {
					case <-time.After(pause):
					case <-ctx.Done():
						return
					}
				}
				if t, err = c.task(ctx, t.info().TaskID); err == nil {
					shown, err = c.show(ctx, t, nil, true)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if (t.last().ID != run || shown.Status.State != said) && !tell(shown, yield) {
					return
				}
			}
		}
	}
}

// tell yields the result and the status of a task.
func tell(t *a2a.Task, yield func(a2a.Event, error) bool) bool {
	for _, a := range t.Artifacts {
		if !yield(&a2a.TaskArtifactUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Artifact: a, LastChunk: true}, nil) {
			return false
		}
	}
	return yield(&a2a.TaskStatusUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Status: t.Status}, nil)
}

// told yields the events of a task's last run until it ends: its steps, and the text that a node's
// model writes, as an artifact that the answer replaces.
func (c *call) told(ctx context.Context, t task, yield func(a2a.Event, error) bool) bool {
	r, info := t.last(), t.info()
	g, err := c.Graph(r.Graph)
	if err != nil {
		return yield(nil, err)
	}
	working := func(ev runs.Event, text string) bool {
		status := a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: moment(ev.Time)}
		if text != "" {
			status.Message = t.says(fmt.Sprintf("%s-%d", r.ID, ev.Seq), a2a.NewTextPart(text))
		}
		return yield(&a2a.TaskStatusUpdateEvent{TaskID: info.TaskID, ContextID: info.ContextID, Status: status}, nil)
	}
	writer := ""
	for ev, err := range c.Events(ctx, r.ID, 0) {
		more := true
		switch {
		case err != nil:
			yield(nil, err)
			return false
		case ev.Kind == runs.KindAttempt:
			more = working(ev, "")
		case ev.Kind == runs.KindSteps:
			more = working(ev, ev.Text)
		case ev.Kind == graph.NodeToken.String() && ev.Namespace == "" && len(ev.Tasks) > 0 && ev.Text != "" && g.Converses():
			update := a2a.NewArtifactUpdateEvent(info, answerID, a2a.NewTextPart(ev.Text))
			update.Append, writer = writer == ev.Tasks[0], ev.Tasks[0]
			more = yield(update, nil)
		}
		if !more {
			return false
		}
	}
	return ctx.Err() == nil
}
