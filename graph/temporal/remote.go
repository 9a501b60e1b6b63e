package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"example.com/assay/graph"
)

// remote is a graph.RemoteTask in a history.
type remote struct {
	graph.RemoteTask
	Input  payload           `json:"input"`
	Config map[string]string `json:"config,omitempty"`
}

// remote runs tasks as workflows of their own. The workflow of a task that an earlier
// attempt of the stretch began is joined.
func (a *activities) remote(in stretch) graph.RemoteRunner {
	if a.conn == nil {
		return nil
	}
	return func(ctx context.Context, t graph.RemoteTask) (json.RawMessage, error) {
		input, err := a.put(ctx, t.Input)
		if err != nil {
			return nil, err
		}
		t.Input = nil
		run, err := a.conn.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: "task " + t.ID, TaskQueue: t.Queue,
			WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
			WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		}, workflowTask, remote{t, input, in.Config})
		if started := (*serviceerror.WorkflowExecutionAlreadyStarted)(nil); errors.As(err, &started) {
			run, err = a.conn.GetWorkflow(ctx, "task "+t.ID, ""), nil // it has ended
		}
		if err != nil {
			return nil, err
		}
		var out payload
		if err := run.Get(ctx, &out); err != nil {
			if ctx.Err() != nil { // nobody waits for it any more
				_ = a.conn.CancelWorkflow(context.WithoutCancel(ctx), run.GetID(), run.GetRunID())
			}
			return nil, plain(err)
		}
		return a.get(ctx, out)
	}
}

// task is the activity of a remote task.
func (a *activities) task(ctx context.Context, in remote) (payload, error) {
	defer beat(ctx)()
	app, err := a.find(ctx, in.Graph, in.Config)
	if err != nil {
		return payload{}, temporal.NewNonRetryableApplicationError(err.Error(), errFailed, err)
	}
	if in.RemoteTask.Input, err = a.get(ctx, in.Input); err != nil {
		return payload{}, err
	}
	data, err := app.RunTask(ctx, in.RemoteTask)
	switch {
	case err == nil:
		return a.put(ctx, data)
	case ctx.Err() != nil:
		return payload{}, temporal.NewCanceledError(err.Error())
	case errors.As(err, new(*graph.FingerprintError)):
		return payload{}, temporal.NewNonRetryableApplicationError(err.Error(), errFingerprint, err)
	}
	return payload{}, temporal.NewNonRetryableApplicationError(err.Error(), errFailed, err)
}

// plain is the message of a workflow's error, without the names around it.
func plain(err error) error {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return errors.New(app.Message())
	}
	if temporal.IsCanceledError(err) {
		return fmt.Errorf("it was cancelled: %w", context.Canceled)
	}
	return err
}
