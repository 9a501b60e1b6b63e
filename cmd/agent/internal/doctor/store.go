package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
)

// patience bounds how long the doctor waits for a store.
const patience = 15 * time.Second

// rightsPage says which rights a store needs.
const rightsPage = "docs/scale.md lists the rights"

// checkSaved checks what keeps threads, answers and vectors: files, or a server.
func checkSaved(ctx context.Context, home string, s config.Settings) []finding {
	if s.Store.Connect == nil {
		return append(checkMemories(ctx, home), checkThreads(ctx, home, largeThreads))
	}
	return []finding{checkStore(ctx, s)}
}

// checkStore asks the server of the settings. It changes nothing there.
func checkStore(ctx context.Context, s config.Settings) finding {
	const check = "store"
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e, err := open.NewStore(s).Examine(ctx)
	if err != nil {
		return finding{check, statusFail, fmt.Sprintf("%s: %v", s.Store.Shown, err), "start the server, or correct the address, the user or the password (PGPASSWORD, ~/.pgpass)"}
	}
	detail := fmt.Sprintf("%s: PostgreSQL %s, user %s", s.Store.Shown, e.Server, e.User)
	schema, user := identifier(e.Schema), identifier(e.User)
	switch {
	case e.Unusable != nil:
		return finding{check, statusFail, detail + ": " + e.Unusable.Error(), "name a database in UTF8 on PostgreSQL 12 or later"}
	case e.Newer != nil:
		return finding{check, statusFail, detail + ": " + e.Newer.Error(), "install the version of agent that the others use"}
	case len(e.Denied) > 0:
		shown := e.Denied[:min(len(e.Denied), 4)]
		return finding{check, statusFail, fmt.Sprintf("%s may not %s%s", detail, strings.Join(shown, ", "), andMore(len(e.Denied)-len(shown))),
			fmt.Sprintf("as their owner: GRANT USAGE ON SCHEMA %s TO %s; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s; (%s)", schema, user, schema, user, rightsPage)}
	case e.Behind && !e.MayMake:
		return finding{check, statusFail, detail + ": tables are missing or of an earlier version, and this user may not make them",
			"run agent threads list once as a user who may, then grant this one its rights; " + rightsPage}
	case e.Behind:
		return finding{check, statusOK, detail + ": the first verb that saves something makes the tables, or brings them up to date", ""}
	}
	return finding{check, statusOK, detail + ": its tables are those of this version", ""}
}

// identifier is a name as SQL writes it.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return " and " + cli.Count(n, "more right")
}
