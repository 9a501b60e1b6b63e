//go:build !lean

package doctor

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph/temporal"
)

// checkTemporal checks whether the Temporal server of the settings, if there is one, can run
// pipelines. It changes nothing there.
func checkTemporal(ctx context.Context, a *cli.App, s config.Settings) []finding {
	const check = "temporal"
	if s.Temporal.Address == "" {
		return nil
	}
	at := s.Temporal.Shown
	if s.Store.Connect == nil {
		return []finding{{check, statusFail, at + ": its runs need a store that workers share", "add --store postgres://… (ASSAY_STORE)"}}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var e temporal.Examination
	conn, err := open.DialTemporal(ctx, a, s)
	if err == nil {
		e, err = temporal.Examine(ctx, conn, s.Temporal.Namespace, open.QueueOf(s))
		conn.Close()
	}
	if err != nil {
		return []finding{{check, statusFail, err.Error(), "start the server, or correct the address, tls:// and its certificates, or " + config.EnvTemporalKey}}
	}
	detail := fmt.Sprintf("%s: Temporal %s, ", at, e.Server)
	switch {
	case !e.Namespace:
		return []finding{{check, statusFail, detail + "without this namespace", "temporal operator namespace create --namespace " + s.Temporal.Namespace}}
	case len(e.Missing) > 0:
		return []finding{{check, statusWarn, detail + "without the search attributes " + strings.Join(e.Missing, ", "), "start a worker, which makes them, or see docs/scale.md"}}
	}
	on, start := fmt.Sprintf("on queue %q", open.QueueOf(s)), "agent worker"
	if e.Version != "" {
		on, start = fmt.Sprintf("of the current version %q %s", e.Version, on), "agent worker --build "+e.Version
	}
	if e.Others > 0 {
		on += fmt.Sprintf(", and %d of other versions", e.Others)
		start += ", or make the version of the others current: --current"
	}
	if e.Workers == 0 {
		return []finding{{check, statusWarn, detail + "no worker " + on + ": new runs wait", "start one: " + start}}
	}
	return []finding{{check, statusOK, detail + cli.Count(e.Workers, "worker") + " " + on, ""}}
}
