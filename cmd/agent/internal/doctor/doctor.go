package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/text"
)

// A finding is one line of the doctor's report.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // "ok", "warn" or "fail"
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // advice, mostly a command
}

const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
)

// examine makes the checks and lists the settings. After a failure it leaves out the checks that
// need what failed.
func examine(a *cli.App, cmd *cobra.Command, flags *config.Flags) ([]finding, []config.Line) {
	home, err := a.Env.Home()
	if err != nil {
		return []finding{{"home", statusFail, err.Error(), "set " + cli.EnvHome + " to the absolute path of a directory that this user may write"}}, nil
	}
	out := []finding{checkHome(home)}
	table, err := config.Table(a)
	if err != nil {
		return append(out, finding{"skills", statusFail, err.Error(), "install the program again"}), nil
	}
	s, err := config.Resolve(a, cmd, flags)
	out = append(out, checkConfiguration(a, s, err))
	out = append(out, checkVariables(a, table)...)
	out = append(out, checkCorpora(cmd.Context(), home, config.Servers(a.Env))...)
	out = append(out, checkSample(home))
	out = append(out, checkSaved(cmd.Context(), home, s)...)
	if err != nil {
		return append(out, checkTerminal(a)), nil
	}
	out = append(out, checkTemporal(cmd.Context(), a, s)...)
	out = append(out, checkChosen(s)...)
	out = append(out, checkVectors(cmd.Context(), s)...)
	out = append(out, checkModels(cmd.Context(), a, s)...)
	out = append(out, checkClassifiers(cmd.Context(), a, s)...)
	out = append(out, checkServers(cmd.Context(), a, s)...)
	return append(out, checkTelemetry(cmd.Context(), s), checkSkills(s), checkTerminal(a)), config.Lines(s, table)
}

// checkConfiguration reports which file was read, and an error in the file, a variable or
// a flag.
func checkConfiguration(a *cli.App, s config.Settings, err error) finding {
	if err != nil {
		return finding{"configuration", statusFail, err.Error(), "correct what the message names"}
	}
	if s.File != "" {
		return finding{"configuration", statusOK, s.File, ""}
	}
	place, err := a.Env.Config()
	if err != nil {
		return finding{"configuration", statusFail, err.Error(), "export " + cli.EnvConfig + "=FILE"}
	}
	if other := filepath.Join(s.Home, cli.ConfigName); other != place {
		if _, err := os.Stat(other); err == nil {
			return finding{"configuration", statusWarn, other + " is not read: the configuration is " + place, fmt.Sprintf("mkdir -p %s && mv %s %s", filepath.Dir(place), other, place)}
		}
	}
	return finding{"configuration", statusOK, "none: " + place + " does not exist, so the defaults apply", "agent doctor --init"}
}

// checkHome checks that the directory can be written, or made. It leaves nothing behind.
func checkHome(home string) finding {
	dir := home
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return finding{"home", statusFail, fmt.Sprintf("%s is not a directory", dir), "mv " + dir + " " + dir + ".old"}
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return finding{"home", statusFail, err.Error(), "set " + cli.EnvHome + " to the absolute path of a directory that this user may write"}
		}
		dir = filepath.Dir(dir)
	}
	probe, err := os.CreateTemp(dir, ".agent-doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return finding{"home", statusFail, fmt.Sprintf("%s cannot be written: %v", dir, err), "chmod u+rwx " + dir}
	}
	if dir != home {
		return finding{"home", statusOK, home + ", made when it is first needed", ""}
	}
	return finding{"home", statusOK, home, ""}
}

// checkVariables reports which variables are read, but never their values.
func checkVariables(a *cli.App, table []config.Setting) []finding {
	known := config.Known(table)
	var out []finding
	for _, name := range a.Env.Unknown(known) {
		do := "unset " + name
		if best := text.Nearest(name, known); best != "" {
			do = fmt.Sprintf("export %s=\"$%s\"; unset %s", best, name, name)
		}
		out = append(out, finding{"variables", statusWarn, name + " is not read by this program", do})
	}
	if out == nil {
		detail := "none set"
		if set := slices.DeleteFunc(known, func(name string) bool { return a.Env.Get(name) == "" }); len(set) > 0 {
			detail = strings.Join(set, ", ")
		}
		out = append(out, finding{"variables", statusOK, detail, ""})
	}
	return out
}

// checkCorpora opens every corpus and checks its files for changes.
func checkCorpora(ctx context.Context, home string, servers memory.Servers) []finding {
	list, err := memory.List(home)
	if err != nil {
		return []finding{{"corpora", statusFail, err.Error(), "ls -l " + home}}
	}
	var out []finding
	for _, info := range list {
		if info.Name != open.SampleCorpus {
			out = append(out, checkCorpus(ctx, home, info.Name, servers)...)
		}
	}
	if out == nil {
		out = []finding{{"corpora", statusOK, "none yet, so the embedded sample answers", "agent ingest DIR"}}
	}
	return out
}

// checkChosen reports a corpus that the settings name and that does not exist.
func checkChosen(s config.Settings) []finding {
	known, err := memory.Names(s.Home)
	if err != nil || s.Corpus == config.DefaultCorpus || s.Corpus == open.SampleCorpus || slices.Contains(known, s.Corpus) {
		return nil
	}
	return []finding{{"corpora", statusFail, open.UnknownCorpus(s.Corpus, known).Error(), "agent ingest PATH… --corpus " + s.Corpus}}
}

func checkCorpus(ctx context.Context, home, name string, servers memory.Servers) []finding {
	what := fmt.Sprintf("corpus %q", name)
	flag := " --corpus " + name
	corpus, err := memory.OpenWith(home, name, &memory.OpenOptions{Servers: servers})
	if errors.As(err, new(*memory.EmptyCorpusError)) {
		return []finding{{"corpora", statusWarn, err.Error(), "agent ingest PATH…" + flag}}
	}
	if err != nil {
		return []finding{{"corpora", statusFail, err.Error(), "agent ingest --rebuild PATH…" + flag}}
	}
	var stale []string
	for _, s := range open.SourcesOf(corpus) {
		if s.Stale != "" {
			stale = append(stale, s.Source)
		}
	}
	unreachable := corpus.Reachable(ctx)
	info, training, ranker := corpus.Info(), corpus.Training(), checkRanker(corpus, flag)
	if err := corpus.Close(); err != nil {
		return []finding{{"corpora", statusFail, fmt.Sprintf("%s: %v", what, err), "agent ingest --rebuild PATH…" + flag}}
	}
	if unreachable != nil {
		return append([]finding{{"corpora", statusFail, unreachable.Error(), "start the server of the index, check " + config.EnvIndexKey + ", or: agent ingest --index files PATH…" + flag}}, ranker...)
	}
	if stale != nil {
		return append([]finding{{"corpora", statusWarn, fmt.Sprintf("%s: %s changed or gone since they were ingested, first %s", what, cli.Count(len(stale), "file"), stale[0]), "agent ingest PATH…" + flag}}, ranker...)
	}
	return append([]finding{{"corpora", statusOK, fmt.Sprintf("%s: %s, %s; embedder %s", what, cli.Count(info.Files, "file"), cli.Count(info.Passages, "passage"), render.Training(training)), ""}}, ranker...)
}

// checkRanker reports the corpus's trained ranker, if it has one.
func checkRanker(corpus *memory.Corpus, flag string) []finding {
	r, ok := corpus.Ranker()
	if !ok {
		return nil
	}
	detail := fmt.Sprintf("corpus %q: %s", corpus.Name(), render.Ranker(r))
	if !r.InUse || r.Changed {
		return []finding{{"ranker", statusWarn, detail, "agent train rerank --queries FILE …" + flag}}
	}
	return []finding{{"ranker", statusOK, detail, ""}}
}

// checkSample checks the sample without unpacking it.
func checkSample(home string) finding {
	files, hash, err := open.SampleFiles()
	if err != nil {
		return finding{"sample", statusFail, err.Error(), "install the program again"}
	}
	dir := open.SampleDir(home, hash)
	corpus, err := memory.Open(home, open.SampleCorpus)
	if err != nil {
		if open.SampleMissing(err) {
			return finding{"sample", statusOK, fmt.Sprintf("%s, unpacked and indexed when it is first used", cli.Count(len(files), "embedded file")), ""}
		}
		return finding{"sample", statusFail, err.Error(), "ls -l " + filepath.Join(home, "corpora", open.SampleCorpus)}
	}
	current := open.IsSample(corpus, dir, len(files))
	if err := corpus.Close(); err != nil {
		return finding{"sample", statusFail, err.Error(), "agent corpus remove sample --yes"}
	}
	if !current {
		return finding{"sample", statusOK, "changed, or of another program version; it is prepared again when it is next used", ""}
	}
	return finding{"sample", statusOK, fmt.Sprintf("%s in %s", cli.Count(len(files), "file"), dir), ""}
}

// checkMemories checks every file of remembered answers.
func checkMemories(ctx context.Context, home string) []finding {
	paths, err := filepath.Glob(filepath.Join(home, "qa", "*.db"))
	earlier, err2 := filepath.Glob(filepath.Join(home, "qa", "*.jsonl"))
	if err := errors.Join(err, err2); err != nil {
		return []finding{{"memory", statusFail, err.Error(), "ls -l " + filepath.Join(home, "qa")}}
	}
	for _, path := range paths {
		if err := qa.CheckFile(ctx, path); err != nil {
			advice := "chmod u+rw " + path
			if errors.As(err, new(*qa.DamagedError)) {
				advice = "agent memory forget --all --corpus " + strings.TrimSuffix(filepath.Base(path), ".db")
			}
			return []finding{{"memory", statusFail, err.Error(), advice}}
		}
	}
	detail := "no answers remembered yet"
	if len(paths) > 0 {
		detail = "answers remembered from " + cli.Count(len(paths), "corpus file")
	}
	out := []finding{{"memory", statusOK, detail, ""}}
	if len(earlier) > 0 {
		out = append(out, finding{"memory", statusWarn, cli.Count(len(earlier), "file") + " of an earlier version, which this one does not read", "rm " + strings.Join(earlier, " ")})
	}
	return out
}

func checkSkills(s config.Settings) finding {
	set, err := s.LoadSkills()
	if err != nil {
		return finding{"skills", statusFail, err.Error(), "correct the files that the message names, or leave out --skills"}
	}
	detail := fmt.Sprintf("%d embedded", len(set.Names()))
	if s.Skills != "" {
		detail += ", overlaid by " + s.Skills
	}
	return finding{"skills", statusOK, detail, ""}
}

func checkTerminal(a *cli.App) finding {
	switch {
	case !a.Stdout.TTY:
		return finding{"terminal", statusOK, "standard output is not a terminal: plain text", ""}
	case !a.Stdout.Colour:
		return finding{"terminal", statusOK, fmt.Sprintf("%d columns, without colour", a.Stdout.Width), ""}
	}
	return finding{"terminal", statusOK, fmt.Sprintf("%d columns, with colour", a.Stdout.Width), ""}
}

func printFindings(a *cli.App, findings []finding) {
	for _, f := range findings {
		fmt.Fprintf(a.Stdout, "%-4s  %-13s  %s\n", f.Status, f.Check, f.Detail)
		if f.Do != "" {
			fmt.Fprintf(a.Stdout, "%21s→ %s\n", "", f.Do)
		}
	}
}

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
	if err = errors.Join(err, f.Close()); err != nil {
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
