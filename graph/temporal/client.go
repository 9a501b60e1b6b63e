package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
)

// ClientOptions configure a client. Nil is the zero value.
type ClientOptions struct {
	Queue string      // of new runs; default DefaultQueue
	Blobs store.Store // holds payloads above BlobLimit; default: a larger payload is an error
	// Prefix precedes the thread in the ID of its workflow, so threads of several stores can share
	// a namespace. Default: none.
	Prefix string
}

// A Client starts, follows and answers runs.
type Client struct {
	blobs
	conn   client.Client
	queue  string
	prefix string
}

// NewClient makes a client on a connection that the caller closes.
func NewClient(conn client.Client, opts *ClientOptions) *Client {
	c := &Client{conn: conn, queue: DefaultQueue}
	if opts != nil {
		c.queue, c.blobs, c.prefix = cmp.Or(opts.Queue, DefaultQueue), blobs{opts.Blobs}, opts.Prefix
	}
	return c
}

// ErrUnknownRun reports a thread without a run on the server.
var ErrUnknownRun = errors.New("the server knows no run of this thread")

// Start starts a run. If the thread's last run has not ended, it returns graph.ErrThreadBusy.
func (c *Client) Start(ctx context.Context, r Run) error {
	if r.Thread == "" {
		return fmt.Errorf("starting a run: %w", graph.ErrNoThread)
	}
	size := 0
	for key, value := range r.Config {
		size += len(key) + len(value)
	}
	if size > BlobLimit { // the history repeats it for every stretch
		return fmt.Errorf("starting a run of thread %q: its configuration has %d bytes, and may have %d", r.Thread, size, BlobLimit)
	}
	in := begun{Run: r}
	if r.Input != nil {
		p, err := c.put(ctx, r.Input)
		if err != nil {
			return fmt.Errorf("starting a run of thread %q: %w", r.Thread, err)
		}
		in.Input = &p
	}
	_, err := c.conn.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: c.prefix + r.Thread, TaskQueue: c.queue,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		Memo:                                     map[string]any{memoMetadata: r.Metadata},
		TypedSearchAttributes:                    temporal.NewSearchAttributes(attributeGraph.ValueSet(r.Graph), attributePhase.ValueSet(string(Running))),
	}, workflowRun, in)
	if busy := (*serviceerror.WorkflowExecutionAlreadyStarted)(nil); errors.As(err, &busy) {
		err = graph.ErrThreadBusy
	}
	return c.explained("starting a run", r.Thread, err)
}

// Answer answers interrupts of a waiting run. Without answers it continues a run at a breakpoint.
// An answer to an interrupt that is not pending returns graph.ErrAnswer.
func (c *Client) Answer(ctx context.Context, thread string, answers ...Reply) error {
	given := make([]reply, len(answers))
	for i, a := range answers {
		p, err := c.put(ctx, a.Value)
		if err != nil {
			return fmt.Errorf("answering thread %q: %w", thread, err)
		}
		given[i] = reply{a.ID, p}
	}
	h, err := c.conn.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: c.prefix + thread, UpdateName: updateAnswer, Args: []any{given}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(ctx, nil)
	}
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		err = fmt.Errorf("%s: %w", refused.Message(), graph.ErrAnswer)
	}
	return c.explained("answering", thread, err)
}

// Cancel asks a run to stop. Its thread keeps the finished work.
func (c *Client) Cancel(ctx context.Context, thread string) error {
	return c.explained("cancelling", thread, c.conn.CancelWorkflow(ctx, c.prefix+thread, ""))
}

// Status returns the status of a thread's last run.
func (c *Client) Status(ctx context.Context, thread string) (Status, error) {
	got, err := c.conn.DescribeWorkflowExecution(ctx, c.prefix+thread, "")
	if err != nil {
		return Status{}, c.explained("asking for the status", thread, err)
	}
	s := c.statusOf(got.GetWorkflowExecutionInfo())
	switch s.Phase {
	case Failed:
		failure := c.conn.GetWorkflow(ctx, c.prefix+thread, s.RunID).Get(ctx, nil)
		s.Error = plain(failure).Error()
		if app, ok := errors.AsType[*temporal.ApplicationError](failure); ok && app.HasDetails() {
			_ = app.Details(&s.Kind) // another program may have written other details
		}
		return s, nil
	case Waiting: // only a worker knows the questions
	default:
		return s, nil
	}
	value, err := c.conn.QueryWorkflow(ctx, c.prefix+thread, s.RunID, queryStatus)
	var now at
	if err == nil {
		err = value.Get(&now)
	}
	if err != nil {
		return s, c.explained("asking for the questions", thread, err)
	}
	if s.Phase = Running; now.Waiting {
		s.Phase, s.Next = Waiting, now.Next
		for _, q := range now.Pending {
			if q.PendingInterrupt.Payload, err = c.get(ctx, q.Payload); err != nil {
				return s, fmt.Errorf("asking for the questions of thread %q: %w", thread, err)
			}
			s.Pending = append(s.Pending, q.PendingInterrupt)
		}
	}
	return s, nil
}

// Wait waits until a run asks or ends, and returns its status.
func (c *Client) Wait(ctx context.Context, thread string) (Status, error) {
	ended := make(chan struct{})
	watch, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_ = c.conn.GetWorkflow(watch, c.prefix+thread, "").Get(watch, nil) // Status reads the outcome
		close(ended)
	}()
	known := time.Now()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		select {
		case <-ended:
		case <-time.After(pause):
		case <-ctx.Done():
			return Status{}, context.Cause(ctx)
		}
		s, err := c.Status(ctx, thread)
		switch {
		case err == nil && s.Phase == Running:
			known = time.Now()
		case err == nil, errors.Is(err, ErrUnknownRun), time.Since(known) > patience:
			return s, err
		} // else a worker or the server does not answer yet
	}
}

// patience is how long Wait tolerates a server, or workers, that do not answer.
const patience = 2 * time.Minute

// List yields the runs of the client's queue that the server still keeps, newest first. An empty
// phase selects all.
func (c *Client) List(ctx context.Context, p Phase) iter.Seq2[Status, error] {
	query := fmt.Sprintf("WorkflowType = '%s'", workflowRun)
	switch p {
	case "":
	case Running, Waiting:
		query += fmt.Sprintf(" AND %s = '%s' AND ExecutionStatus = 'Running'", AttributePhase, p)
	case Ended:
		query += " AND ExecutionStatus = 'Completed'"
	case Cancelled:
		query += " AND ExecutionStatus IN ('Canceled', 'Terminated')"
	default:
		query += " AND ExecutionStatus IN ('Failed', 'TimedOut')"
	}
	return func(yield func(Status, error) bool) {
		var page []byte
		for {
			got, err := c.conn.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, NextPageToken: page})
			if err != nil {
				yield(Status{}, fmt.Errorf("listing runs: %w", err))
				return
			}
			for _, info := range got.GetExecutions() {
				if info.GetTaskQueue() != c.queue { // a query cannot name every queue: servers misread quotes
					continue
				}
				if !yield(c.statusOf(info), nil) {
					return
				}
			}
			if page = got.GetNextPageToken(); len(page) == 0 {
				return
			}
		}
	}
}

// explained adds an explanation to an error of the server.
func (c *Client) explained(what, thread string, err error) error {
	var gone *serviceerror.NotFound
	var dead *serviceerror.Unavailable
	var invalid *serviceerror.InvalidArgument
	switch {
	case err == nil:
		return nil
	case errors.As(err, &gone):
		err = ErrUnknownRun
	case errors.As(err, &dead):
		err = fmt.Errorf("%w (does the server run?)", err)
	case errors.As(err, &invalid):
		err = fmt.Errorf("%w (were the search attributes made? See MakeAttributes)", err)
	}
	return fmt.Errorf("%s of thread %q: %w", what, thread, err)
}
