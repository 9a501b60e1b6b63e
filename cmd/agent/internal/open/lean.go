//go:build lean

package open

import (
	"context"
	"encoding/json"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
)

// connect is never called: the settings of this build name no server.
func connect(context.Context, config.Store) (server, error) { return nil, cli.NotBuilt("PostgreSQL") }

// Examine is never called, for the same reason.
func (*Store) Examine(context.Context) (Examined, error) {
	return Examined{}, cli.NotBuilt("PostgreSQL")
}

// Workers are the workers of a Temporal server. This build has none.
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

// elsewhere is never called: no desk has workers.
func (*Desk) elsewhere(graph.App, *follow.Options[json.RawMessage], trace.Header) {}
