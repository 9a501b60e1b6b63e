package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// wire marks the runs of this protocol in their metadata.
const wire = "a2a"

// A mark is in the metadata of a run.
type mark struct {
	Graph string `json:"graph_id"`
	Wire  string `json:"wire"`
	Task  string `json:"a2a_task"` // the task that the run continues; "" if it begins one
}

// A cancellation is in the metadata of a thread whose last task was canceled while it waited.
type cancellation struct {
	Task a2a.TaskID `json:"a2a_canceled"`
	At   time.Time  `json:"a2a_canceled_at"`
}

// taskOf returns the ID of a run's task; "" if the run is of another protocol.
func taskOf(r *runs.Run) string {
	var m mark
	if json.Unmarshal(r.Metadata, &m) != nil || m.Wire != wire {
		return ""
	}
	return cmp.Or(m.Task, r.ID)
}

// A task is what a person asked for: the run that began it, and those that answered its questions,
// in order.
type task []runs.Run

func (t task) last() *runs.Run { return &t[len(t)-1] }

// info names a task in its messages and events.
func (t task) info() a2a.TaskInfo {
	return a2a.TaskInfo{TaskID: a2a.TaskID(t[0].ID), ContextID: t[0].Thread}
}

// says returns a message of the agent.
func (t task) says(id string, parts ...*a2a.Part) *a2a.Message {
	m := a2a.NewMessageForTask(a2a.MessageRoleAgent, t.info(), parts...)
	m.ID = id
	return m
}

// tasksOf groups runs, newest first, by task.
func (c *call) tasksOf(list []runs.Run) map[string]task {
	out := map[string]task{}
	for _, r := range slices.Backward(list) {
		id := taskOf(&r)
		if out[id] != nil || id == r.ID && (c.graph == "" || c.graph == r.Graph) {
			out[id] = append(out[id], r)
		}
	}
	return out
}

// task returns a task by its ID.
func (c *call) task(ctx context.Context, id a2a.TaskID) (task, error) {
	first, err := c.Run(ctx, string(id))
	var all []runs.Run
	if err == nil {
		all, err = c.Runs(ctx, first.Thread)
	}
	if err != nil && !errors.As(err, new(*runs.NotFoundError)) {
		return nil, err
	}
	t := c.tasksOf(all)[string(id)]
	if t == nil {
		return nil, fmt.Errorf("%w: %.60q", a2a.ErrTaskNotFound, id)
	}
	return t, nil
}

// status returns a task's status.
func (c *call) status(ctx context.Context, t task) (a2a.TaskStatus, error) {
	r := t.last()
	out := a2a.TaskStatus{State: a2a.TaskStateCompleted, Timestamp: moment(r.Updated)}
	switch {
	case r.Status == runs.Cancelled:
		out.State = a2a.TaskStateCanceled
	case r.Status == runs.Pending && len(t) == 1:
		out.State = a2a.TaskStateSubmitted
	case !r.Status.Ended():
		out.State = a2a.TaskStateWorking
	case r.Status != runs.Success:
		out.State, out.Message = a2a.TaskStateFailed, t.says(r.ID+"-failed", a2a.NewTextPart(r.Error))
	case r.Asks:
		thread, err := c.Thread(ctx, r.Thread)
		if err != nil {
			return out, err
		}
		if c.ending { // the thread does not have the questions yet
			at, _, err := c.State(ctx, r.Thread, "")
			if err != nil || at == nil {
				return out, err
			}
			thread.Status, thread.Interrupts = runs.Interrupted, map[string][]graph.PendingInterrupt{"": at.Interrupts}
		}
		var end cancellation
		switch _ = json.Unmarshal(thread.Metadata, &end); { // it may have another wire's metadata
		case end.Task == t.info().TaskID:
			out.State, out.Timestamp = a2a.TaskStateCanceled, moment(end.At)
		case thread.Runs > r.Number:
			out.State, out.Message = a2a.TaskStateCanceled, t.says(r.ID+"-left", a2a.NewTextPart("The context went on without an answer."))
		case thread.Status == runs.Busy: // the end of the run is being written
			out.State = a2a.TaskStateWorking
		default:
			out.State, out.Message = a2a.TaskStateInputRequired, asked(t, &thread)
		}
	}
	return out, nil
}

// show returns a task as clients read it, with this many of its last messages; nil for all.
func (c *call) show(ctx context.Context, t task, messages *int, artifacts bool) (*a2a.Task, error) {
	out := &a2a.Task{ID: t.info().TaskID, ContextID: t.info().ContextID}
	var err error
	if out.Status, err = c.status(ctx, t); err != nil {
		return nil, err
	}
	for _, r := range t {
		var said []*a2a.Message
		_ = json.Unmarshal(r.Kept, &said) // another wire keeps something else
		for _, m := range said {
			m.TaskID, m.ContextID = out.ID, out.ContextID
		}
		out.History = append(out.History, said...)
	}
	if messages != nil {
		out.History = out.History[max(0, len(out.History)-*messages):]
	}
	if artifacts && out.Status.State == a2a.TaskStateCompleted {
		out.Artifacts, err = c.answer(ctx, t.last())
	}
	return out, err
}

// enough refuses a negative number of messages.
func enough(messages *int) error {
	if messages != nil && *messages < 0 {
		return fmt.Errorf("%w: historyLength is %d", a2a.ErrInvalidParams, *messages)
	}
	return nil
}

// moment returns a time as clients read it.
func moment(t time.Time) *time.Time {
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}

func (c *call) getTask(in *a2a.GetTaskRequest) (any, error) {
	if err := enough(in.HistoryLength); err != nil {
		return nil, err
	}
	t, err := c.task(c.ctx(), in.ID)
	if err != nil {
		return nil, err
	}
	return c.show(c.ctx(), t, in.HistoryLength, true)
}

const (
	defaultPage, maxPage = 50, 100
	stamp                = "2006-01-02T15:04:05.000"
)

func (c *call) listTasks(in *a2a.ListTasksRequest) (any, error) {
	out := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, PageSize: cmp.Or(in.PageSize, defaultPage)}
	if out.PageSize < 1 || out.PageSize > maxPage {
		return nil, fmt.Errorf("%w: pageSize is %d: it can be from 1 to %d", a2a.ErrInvalidParams, out.PageSize, maxPage)
	}
	if err := enough(in.HistoryLength); err != nil {
		return nil, err
	}
	if at, _, _ := strings.Cut(in.PageToken, " "); at != "" {
		if _, err := time.Parse(stamp, at); err != nil {
			return nil, fmt.Errorf("%w: pageToken is not from an earlier list", a2a.ErrInvalidParams)
		}
	}
	all, err := c.AllRuns(c.ctx(), func(r *runs.Run) bool {
		return taskOf(r) != "" && (in.ContextID == "" || in.ContextID == r.Thread)
	})
	if err != nil {
		return nil, err
	}
	tasks := c.tasksOf(all)
	for _, t := range tasks {
		one, err := c.show(c.ctx(), t, in.HistoryLength, false)
		if err != nil {
			return nil, err
		}
		if (in.Status == "" || in.Status == one.Status.State) && (in.StatusTimestampAfter == nil || !one.Status.Timestamp.Before(*in.StatusTimestampAfter)) {
			out.Tasks = append(out.Tasks, one)
		}
	}
	place := func(t *a2a.Task) string { return t.Status.Timestamp.Format(stamp) + " " + string(t.ID) }
	slices.SortFunc(out.Tasks, func(a, b *a2a.Task) int { return strings.Compare(place(b), place(a)) })
	out.TotalSize = len(out.Tasks)
	if in.PageToken != "" {
		out.Tasks = slices.DeleteFunc(out.Tasks, func(t *a2a.Task) bool { return place(t) >= in.PageToken })
	}
	if len(out.Tasks) > out.PageSize {
		out.Tasks = out.Tasks[:out.PageSize]
		out.NextPageToken = place(out.Tasks[out.PageSize-1])
	}
	for _, one := range out.Tasks {
		if in.IncludeArtifacts && one.Status.State == a2a.TaskStateCompleted {
			if one.Artifacts, err = c.answer(c.ctx(), tasks[string(one.ID)].last()); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// cancelTask cancels a task that runs, or that waits for an answer.
func (c *call) cancelTask(in *a2a.CancelTaskRequest) (any, error) {
	t, err := c.task(c.ctx(), in.ID)
	if err != nil {
		return nil, err
	}
	now, err := c.status(c.ctx(), t)
	if err == nil && now.State.Terminal() {
		err = fmt.Errorf("%w: its state is %s", a2a.ErrTaskNotCancelable, now.State)
	}
	if err != nil {
		return nil, err
	}
	if r := t.last(); now.State == a2a.TaskStateInputRequired {
		_, err = c.PatchThread(c.ctx(), r.Thread, encode(cancellation{in.ID, c.Now()}))
	} else if err = c.Cancel(c.ctx(), r.ID); err == nil {
		_, err = c.Wait(c.ctx(), r.ID)
	}
	if err != nil {
		return nil, err
	}
	return c.getTask(&a2a.GetTaskRequest{ID: in.ID})
}

// encode returns the JSON of a value that comes from JSON, or of ours: it can always be encoded.
func encode(v any) json.RawMessage {
	data, _ := json.Marshal(v)
	return data
}
