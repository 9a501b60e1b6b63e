package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"example.com/assay/memory"
	"example.com/assay/memory/embed"
)

// A settingLine is one setting as the doctor shows it.
type settingLine struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`          // "default", "file", "variable" or "flag"
	Where  string `json:"where,omitempty"` // file and line, the variable or the flag
}

// settingLines lists the settings that have a value, with where each stands.
func settingLines(s settings, table []setting) []settingLine {
	var out []settingLine
	for _, t := range expanded(s, table) {
		value := t.show(&s)
		if value == "" {
			continue
		}
		line := settingLine{Key: t.key, Value: value, Origin: "default"}
		if from, ok := s.origins[t.key]; ok {
			line.Origin, line.Where = from.kind, from.where
		}
		out = append(out, line)
	}
	return out
}

// expanded is the table with the settings of free keys that are given.
func expanded(s settings, table []setting) []setting {
	var out []setting
	for _, t := range table {
		if t.within == nil {
			out = append(out, t)
			continue
		}
		for _, key := range t.given(&s) {
			out = append(out, t.within(key))
		}
	}
	return out
}

func (a *app) printSettings(lines []settingLine) {
	if len(lines) == 0 {
		return
	}
	key, value := 0, 0
	for _, l := range lines {
		key, value = max(key, len(l.Key)), max(value, runewidth.StringWidth(l.Value))
	}
	fmt.Fprintln(a.stdout, "\nsettings")
	for _, l := range lines {
		where := l.Where
		if where == "" {
			where = l.Origin
		}
		fmt.Fprintf(a.stdout, "  %-*s  %s  %s\n", key, l.Key, runewidth.FillRight(l.Value, value), where)
	}
}

// initConfig writes a configuration in which everything is a comment. It
// overwrites nothing.
func (a *app) initConfig(cmd *cobra.Command, flags *settingFlags, asJSON bool) error {
	path, _, err := a.configFile(cmd, flags)
	if err != nil {
		return err
	}
	table, err := settingTable(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making a place for the configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return usagef("%s exists already, and nothing is overwritten: move it away, or name another file with --config", path)
	}
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	_, err = f.WriteString(commentedConfig(defaultSettings(false), table))
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	if asJSON {
		a.printJSON(struct {
			Schema int    `json:"schema"`
			Status string `json:"status"`
			File   string `json:"file"`
		}{1, "done", path})
		return nil
	}
	fmt.Fprintf(a.stdout, "wrote %s; every line of it is a comment\n", path)
	return nil
}

// commentedConfig is a configuration of every setting with its default or,
// where that is nothing, an example. Without the "#" before keys it is one.
func commentedConfig(s settings, table []setting) string {
	var b strings.Builder
	b.WriteString(`# Configuration of agent. Remove the "#" before a key, and before its section,
# to set it. The variable beside a key comes before this file, and a flag before
# both. Values that are no defaults are examples; agent doctor shows what holds.
`)
	in := ""
	for _, t := range table {
		if t.within != nil {
			fmt.Fprintf(&b, "\n#%s:\n  # %s\n#  %s\n", t.key, t.about, t.example)
			in = t.key
			continue
		}
		section, key, ok := strings.Cut(t.key, ".")
		indent := "  "
		if !ok {
			section, key, indent = "", t.key, ""
		}
		if section != in {
			fmt.Fprintf(&b, "\n#%s:\n", section)
		} else if section == "" {
			b.WriteString("\n")
		}
		in = section
		value := t.show(&s)
		if value == "" {
			value = t.example
		}
		fmt.Fprintf(&b, "%s# %s (%s)\n#%s%s: %s\n", indent, t.about, t.variable, indent, key, value)
	}
	return b.String()
}

// checkTelemetry finds out whether a collector listens. It sends no span.
func checkTelemetry(ctx context.Context, s settings) finding {
	if s.telemetry.endpoint == "" {
		return finding{"telemetry", statusOK, "off: no collector is set", ""}
	}
	u, err := url.Parse(s.telemetry.endpoint)
	if err != nil {
		return finding{"telemetry", statusFail, "the collector's address cannot be read", "unset " + envOTLP}
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
		return finding{"telemetry", statusWarn, fmt.Sprintf("no collector is reached: %v; answers come without it", err), "start the collector, or: unset " + envOTLP + " and telemetry.endpoint"}
	}
	detail := "spans go to " + s.telemetry.endpoint
	if s.telemetry.content {
		detail += ", with prompts, answers and queries"
	}
	return finding{"telemetry", statusOK, detail, ""}
}

// checkVectors tells of the cache, once there is one.
func checkVectors(s settings) []finding {
	stats, err := vectorStats(s.home, &embed.CacheOptions{MaxBytes: int64(s.lookup.cache) << 20})
	if err != nil {
		return []finding{{"vectors", statusFail, err.Error(), "rm -r " + memory.VectorsPath(s.home)}}
	}
	if stats == nil {
		return nil
	}
	return []finding{{"vectors", statusOK, fmt.Sprintf("%s; at most %s", cached(*stats), size(stats.MaxBytes)), ""}}
}

// vectorStats looks at the cache of a home without making one: nil says that
// there is none.
func vectorStats(home string, opts *embed.CacheOptions) (*embed.CacheStats, error) {
	dir := memory.VectorsPath(home)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	cache, err := embed.OpenCache(dir, opts)
	if err != nil {
		return nil, err
	}
	stats := cache.Stats()
	return &stats, cache.Close()
}

// cachedVectors is vectorStats for a corpus with vectors of a remote embedder.
func (a *app) cachedVectors(info memory.CorpusInfo) (*embed.CacheStats, error) {
	if info.Space == "" {
		return nil, nil
	}
	home, err := a.env.home()
	if err != nil {
		return nil, err
	}
	return vectorStats(home, nil)
}
