package session

import (
	"context"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory"
)

// complete lists the possible completions of a line: commands, then their arguments. It leaves out
// names that cannot be read, since a key must not fail.
func (s *session) complete(ctx context.Context, line string) []string {
	if !strings.HasPrefix(line, "/") {
		return nil
	}
	var all []string
	switch name, _, named := strings.Cut(line[1:], " "); {
	case !named:
		for _, c := range allCommands() {
			if c.args != "" {
				c.name += " "
			}
			all = append(all, c.name)
		}
	case name == "corpus":
		names, _ := memory.Names(s.Home) // without them nothing is completed
		for _, n := range names {
			all = append(all, "corpus "+n)
		}
	case name == "model":
		for _, m := range config.ModelNames(s.App) {
			all = append(all, "model "+m)
		}
	case name == "thread":
		all = append(all, "thread off")
		for _, t := range s.threads(ctx) {
			all = append(all, "thread "+t)
		}
	case name == "verify":
		all = []string{"verify on", "verify off", "verify claims", "verify brief"}
	case name == "trace":
		all = []string{"trace on ", "trace off", "trace show"}
	}
	var out []string
	for _, c := range all {
		if strings.HasPrefix("/"+c, line) {
			out = append(out, "/"+c)
		}
	}
	return out
}

// threads returns the names of saved conversations that can be read within two seconds.
func (s *session) threads(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	saved := open.NewStore(s.Settings)
	defer saved.Close()
	if has, err := saved.Has(open.ThreadsFile(s.Home)); err != nil || !has {
		return nil
	}
	saver, err := saved.Threads(ctx)
	if err != nil {
		return nil
	}
	var out []string
	for t, err := range saver.Threads(ctx) {
		if err != nil {
			break
		}
		out = append(out, t.ID)
	}
	if saver.Close() != nil {
		return nil
	}
	return out
}
