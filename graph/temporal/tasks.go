package temporal

import (
	"go.temporal.io/sdk/workflow"

	"example.com/assay/graph"
)

// task is a graph.RemoteTask in a history.
type task struct {
	ID     string            `json:"id"`
	Task   graph.RemoteTask  `json:"task"` // without its input
	Input  payload           `json:"input"`
	Config map[string]string `json:"config,omitempty"`
}

// outcome is the result of a task. Failed says why there is no update.
type outcome struct {
	ID     string  `json:"id"`
	Update payload `json:"update"`
	Failed string  `json:"failed,omitempty"`
}

// tasks is the workflow for a superstep's tasks on one queue. A stretch adds tasks, takes outcomes
// in the order in which they came, and says when it has no more tasks. A stretch that begins again,
// because its worker was lost, takes all outcomes again.
func (l limits) tasks(ctx workflow.Context, queue string) error {
	var outcomes []outcome
	cancels, done := map[string]workflow.CancelFunc{}, false
	take := func(ctx workflow.Context, seen int) ([]outcome, error) {
		err := workflow.Await(ctx, func() bool { return len(outcomes) > seen || done })
		return page(outcomes[min(seen, len(outcomes)):]), err
	}
	if err := workflow.SetUpdateHandler(ctx, updateTake, take); err != nil {
		return err
	}
	run := func(ctx workflow.Context, t task) {
		out := outcome{ID: t.ID}
		if err := workflow.ExecuteActivity(l.activity(ctx, queue), activityTask, t).Get(ctx, &out.Update); err != nil {
			out.Failed = plain(err).Error()
		}
		outcomes = append(outcomes, out)
	}
	listen := func(name string, do func(ctx workflow.Context, c workflow.ReceiveChannel)) {
		workflow.Go(ctx, func(ctx workflow.Context) {
			for c := workflow.GetSignalChannel(ctx, name); ; {
				do(ctx, c)
			}
		})
	}
	listen(signalAdd, func(ctx workflow.Context, c workflow.ReceiveChannel) {
		var list []task
		c.Receive(ctx, &list)
		for _, t := range list {
			if cancels[t.ID] == nil {
				own, cancel := workflow.WithCancel(ctx)
				cancels[t.ID] = cancel
				workflow.Go(own, func(ctx workflow.Context) { run(ctx, t) })
			}
		}
	})
	listen(signalDrop, func(ctx workflow.Context, c workflow.ReceiveChannel) {
		var list []string
		c.Receive(ctx, &list)
		for _, id := range list {
			if cancels[id] != nil {
				cancels[id]()
			}
		}
	})
	listen(signalDone, func(ctx workflow.Context, c workflow.ReceiveChannel) {
		c.Receive(ctx, nil)
		done = true
	})
	_, err := workflow.AwaitWithTimeout(ctx, l.longest, func() bool { return done && workflow.AllHandlersFinished(ctx) })
	return err
}

// maxPage bounds the result of one update, in bytes.
const maxPage = 1 << 20

// page returns the first outcomes of a list, as many as fit into one answer of the server.
func page(list []outcome) []outcome {
	size := 0
	for i, o := range list {
		if size += len(o.Update.JSON) + len(o.Failed) + 200; size > maxPage {
			return list[:max(i, 1)]
		}
	}
	return list
}
