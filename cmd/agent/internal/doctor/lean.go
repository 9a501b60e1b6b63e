//go:build lean

package doctor

import (
	"context"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

// checkTemporal has nothing to check: the settings of this build name no Temporal server.
func checkTemporal(context.Context, *cli.App, config.Settings) []finding { return nil }
