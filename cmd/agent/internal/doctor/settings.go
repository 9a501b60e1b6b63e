package doctor

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
)

func printSettings(a *cli.App, lines []config.Line) {
	if len(lines) == 0 {
		return
	}
	key, value := 0, 0
	for _, l := range lines {
		key, value = max(key, len(l.Key)), max(value, runewidth.StringWidth(l.Value))
	}
	fmt.Fprintln(a.Stdout, "\nsettings")
	for _, l := range lines {
		where := l.Where
		if where == "" {
			where = l.Origin
		}
		fmt.Fprintf(a.Stdout, "  %-*s  %s  %s\n", key, l.Key, runewidth.FillRight(l.Value, value), where)
	}
}

// initConfig writes a configuration in which every line is a comment. It never overwrites
// a file.
func initConfig(a *cli.App, cmd *cobra.Command, flags *config.Flags, asJSON bool) error {
	path, _, err := config.File(a, cmd, flags)
	if err != nil {
		return err
	}
	table, err := config.Table(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the directory of the configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return cli.Usagef("%s already exists and is not overwritten: move it away, or name another file with --config", path)
	}
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	_, err = f.WriteString(config.CommentedConfig(config.Default(false), table))
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	if asJSON {
		a.PrintJSON(struct {
			Schema int    `json:"schema"`
			Status string `json:"status"`
			File   string `json:"file"`
		}{1, "done", path})
		return nil
	}
	fmt.Fprintf(a.Stdout, "wrote %s; every line of it is a comment\n", path)
	return nil
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
