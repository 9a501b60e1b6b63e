package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
)

// checkSaved checks where remembered answers and threads are kept: in files, or on a server.
func checkSaved(ctx context.Context, home string, s config.Settings) []finding {
	if s.Store.Connect == nil {
		return append(checkMemories(ctx, home), checkThreads(ctx, home, largeThreads))
	}
	return []finding{checkStore(ctx, s)}
}

// largeThreads is the size in bytes from which the doctor advises a sweep of the threads.
const largeThreads = 256 << 20

// checkThreads opens the file of threads, if there is one, and counts them.
func checkThreads(ctx context.Context, home string, large int64) finding {
	const check = "threads"
	file := open.ThreadsFile(home)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return finding{check, statusOK, "none saved yet", ""}
	}
	if err != nil {
		return finding{check, statusFail, err.Error(), "ls -l " + file}
	}
	if !info.Mode().IsRegular() {
		return finding{check, statusFail, file + " is not a regular file", "mv " + file + " " + file + ".old"}
	}
	n, err := countThreads(ctx, home)
	if err != nil {
		return finding{check, statusFail, err.Error(), fmt.Sprintf("if it is damaged: mv %s %s.old, which loses the saved runs", file, file)}
	}
	size := info.Size()
	if log, err := os.Stat(file + "-wal"); err == nil {
		size += log.Size()
	}
	detail := fmt.Sprintf("%s, %s in %s", cli.Count(n, "thread"), render.Size(size), file)
	if size >= large && n > 0 {
		return finding{check, statusWarn, detail, "agent threads sweep --older-than 720h; the file does not shrink, but its space is reused"}
	}
	return finding{check, statusOK, detail, ""}
}

func countThreads(ctx context.Context, home string) (n int, err error) {
	saver, err := sqlite.Open(ctx, open.ThreadsFile(home), nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = cli.Also(err, saver.Close()) }()
	for _, err := range saver.Threads(ctx) {
		if err != nil {
			return 0, fmt.Errorf("listing the threads: %w", err)
		}
		n++
	}
	return n, nil
}

// patience bounds how long the doctor waits for a store.
const patience = 15 * time.Second

// rightsPage points to the list of the rights that a store needs.
const rightsPage = "docs/scale.md lists the rights"

// checkStore examines the PostgreSQL server of the settings. It changes nothing there.
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

// checkVectors reports the cache of vectors in the home, if there is one.
func checkVectors(ctx context.Context, s config.Settings) []finding {
	if s.Store.Connect != nil {
		return nil
	}
	stats, err := open.NewStore(s).VectorStats(ctx, &embed.CacheOptions{MaxBytes: int64(s.Lookup.Cache) << 20})
	if err != nil {
		return []finding{{"vectors", statusFail, err.Error(), "rm -r " + memory.VectorsPath(s.Home)}}
	}
	if stats == nil {
		return nil
	}
	return []finding{{"vectors", statusOK, fmt.Sprintf("%s; at most %s", render.Cache(*stats), render.Size(stats.MaxBytes)), ""}}
}

// checkTelemetry checks whether a collector listens. It sends no span.
func checkTelemetry(ctx context.Context, s config.Settings) finding {
	if s.Telemetry.Endpoint == "" {
		return finding{"telemetry", statusOK, "off: no collector is set", ""}
	}
	u, err := url.Parse(s.Telemetry.Endpoint)
	if err != nil {
		return finding{"telemetry", statusFail, "the collector's address cannot be read", "unset " + config.EnvOTLP}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	dialer := net.Dialer{Timeout: 3 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err == nil {
		err = conn.Close()
	}
	if err != nil {
		return finding{"telemetry", statusWarn, fmt.Sprintf("the collector cannot be reached: %v; answers do not depend on it", err), "start the collector, or: unset " + config.EnvOTLP + " and telemetry.endpoint"}
	}
	detail := "spans go to " + s.Telemetry.Endpoint
	if s.Telemetry.Content {
		detail += ", with prompts, answers and queries"
	}
	return finding{"telemetry", statusOK, detail, ""}
}
