package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"example.com/assay/internal/again"
)

// MakeCurrent directs new runs to the workers of a version; see WorkerOptions.BuildID. Before the
// first call, new runs go to workers without a version. After it, those get new runs again only
// when an empty build ID is made current. It waits up to a minute until the server knows a worker
// of the version.
func MakeCurrent(ctx context.Context, conn client.Client, deployment, buildID string) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	of := conn.WorkerDeploymentClient().GetHandle(deployment)
	var unknown *serviceerror.NotFound
	var unready *serviceerror.FailedPrecondition
	err := again.Do(ctx, again.Waits{First: 200 * time.Millisecond, Most: 200 * time.Millisecond}, func() error {
		_, err := of.SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: buildID})
		if buildID == "" && errors.As(err, &unknown) {
			return nil
		}
		return err
	}, func(err error) bool { return errors.As(err, &unknown) || errors.As(err, &unready) })
	if err != nil {
		return fmt.Errorf("making version %q of deployment %q current: %w", buildID, deployment, err)
	}
	return nil
}

// version pins a workflow to these workers' version; nil when they have none.
func (o WorkerOptions) version() client.VersioningOverride {
	if o.BuildID == "" {
		return nil
	}
	return &client.PinnedVersioningOverride{Version: worker.WorkerDeploymentVersion{DeploymentName: o.Deployment, BuildID: o.BuildID}}
}
