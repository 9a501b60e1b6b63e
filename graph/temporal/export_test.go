package temporal

import (
	"time"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Register registers what a worker has with a test environment.
func Register(r registry, o WorkerOptions, find Find) { register(r, o, find, nil) }

// RegisterWorkflows registers the workflows alone.
func RegisterWorkflows(r worker.WorkflowReplayer) {
	l := limits{time.Second, time.Hour}
	r.RegisterWorkflowWithOptions(l.run, workflow.RegisterOptions{Name: workflowRun})
	r.RegisterWorkflowWithOptions(l.tasks, workflow.RegisterOptions{Name: workflowTasks})
}
