package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// An Examination describes a server's support for runs.
type Examination struct {
	Server    string   // its version
	Namespace bool     // whether the namespace exists
	Missing   []string // search attributes that do not exist yet
	Version   string   // the build whose workers get new runs; empty for workers without a build ID
	Workers   int      // processes of that version that asked for work in the last minute
	Others    int      // processes of other versions
}

// pollLife is the maximum age of a live worker's last request: each request waits a minute for
// work.
const pollLife = 65 * time.Second

// Examine asks a server for its support of runs on a queue. It changes nothing.
func Examine(ctx context.Context, conn client.Client, namespace, queue string) (e Examination, err error) {
	system, err := conn.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return e, fmt.Errorf("asking the server for its version: %w", err)
	}
	e.Server = system.GetServerVersion()
	_, err = conn.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if missing := (*serviceerror.NamespaceNotFound)(nil); errors.As(err, &missing) {
		return e, nil
	}
	if err != nil {
		return e, fmt.Errorf("looking for namespace %q: %w", namespace, err)
	}
	e.Namespace = true
	known, err := conn.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return e, fmt.Errorf("listing the search attributes: %w", err)
	}
	for _, name := range []string{AttributeGraph, AttributePhase} {
		if known.GetCustomAttributes()[name] != enums.INDEXED_VALUE_TYPE_KEYWORD {
			e.Missing = append(e.Missing, name)
		}
	}
	at, err := conn.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil {
		return e, fmt.Errorf("looking for workers of queue %q: %w", queue, err)
	}
	e.Version = at.GetVersioningInfo().GetCurrentDeploymentVersion().GetBuildId()
	seen := map[string]bool{}
	for _, p := range at.GetPollers() {
		version := ""
		if d := p.GetDeploymentOptions(); d.GetWorkerVersioningMode() == enums.WORKER_VERSIONING_MODE_VERSIONED {
			version = d.GetBuildId()
		}
		who := version + " " + p.GetIdentity()
		switch {
		case seen[who] || time.Since(p.GetLastAccessTime().AsTime()) > pollLife:
		case version == e.Version:
			e.Workers++
		default:
			e.Others++
		}
		seen[who] = true
	}
	return e, nil
}
