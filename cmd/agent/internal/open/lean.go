//go:build lean

package open

import (
	"context"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
)

// connect is never asked: the settings of this build have no server.
func connect(context.Context, config.Store) (server, error) { return nil, cli.NotBuilt("PostgreSQL") }

// Examine is never asked, as [connect].
func (*Store) Examine(context.Context) (Examined, error) {
	return Examined{}, cli.NotBuilt("PostgreSQL")
}

// Workers are those of a Temporal server, which this build has not got.
type Workers struct{}

// NewWorkers returns an error.
func NewWorkers(context.Context, *cli.App, config.Settings, *Store) (*Workers, error) {
	return nil, cli.NotBuilt("Temporal")
}

// Close does nothing.
func (*Workers) Close() error { return nil }

// Info knows no run.
func (*Workers) Info(context.Context, string) (ThreadInfo, error) {
	return ThreadInfo{}, graph.ErrNoCheckpoint
}

// elsewhere is never asked: no desk has workers.
func elsewhere[S any](*Desk, *Traced[S], trace.Header) {}
