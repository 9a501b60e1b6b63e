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

// MakeCurrent has runs that begin from now on go to the workers of a version; see
// WorkerOptions.BuildID. Before the first version is current, runs go to workers without
// one; then, those get no new runs, until an empty build ID makes them current again. It
// waits a minute for a worker of the version to be known to the server.
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

// version pins a workflow to the version of these workers; nil when they have none.
func (o WorkerOptions) version() client.VersioningOverride {
	if o.BuildID == "" {
		return nil
	}
	return &client.PinnedVersioningOverride{Version: worker.WorkerDeploymentVersion{DeploymentName: o.Deployment, BuildID: o.BuildID}}
}
