//go:build lean

package worker

import (
	"context"

	"example.com/assay/cmd/agent/internal/cli"
)

func (*worker) run(context.Context) error { return cli.NotBuilt("Temporal") }
