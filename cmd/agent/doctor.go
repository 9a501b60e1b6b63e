package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/llm/offline"
	"example.com/assay/memory"
)

// A finding is one line of the doctor's report.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // "ok", "warn" or "fail"
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // what to type
}

const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
)

func (a *app) doctorCommand() *cobra.Command {
	var flags settingFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, corpora, memory, models and skills, and say what to do",
		Long: `Doctor checks the home directory, the configuration, the variables, every
corpus, the embedded sample, the remembered answers, the skills and the
terminal. It changes nothing. Exit code 1 says that a check failed.

Each model of a provider that the settings name is asked one small question,
which costs a few tokens and tells whether the key, the address and the name
are right. With the offline model, the default, no network is used.`,
		Example: "  agent doctor\n  agent doctor --json\n  agent doctor --config team.yaml\n  agent doctor --model openai:gpt-4.1-mini",
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := a.examine(cmd, &flags)
			failed := false
			for _, f := range findings {
				failed = failed || f.Status == statusFail
			}
			if asJSON {
				a.printJSON(struct {
					Schema int       `json:"schema"`
					OK     bool      `json:"ok"`
					Checks []finding `json:"checks"`
				}{1, !failed, findings})
			} else {
				a.printFindings(findings)
			}
			if failed {
				return silent(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&flags.config, "config", "", "configuration `FILE` (YAML) to check")
	cmd.Flags().StringVar(&flags.skills, "skills", "", "skills `DIR` to check")
	cmd.Flags().StringVar(&flags.model, "model", offline.Name, "`NAME` of a model to check")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) printFindings(findings []finding) {
	for _, f := range findings {
		fmt.Fprintf(a.stdout, "%-4s  %-13s  %s\n", f.Status, f.Check, f.Detail)
		if f.Do != "" {
			fmt.Fprintf(a.stdout, "%21s→ %s\n", "", f.Do)
		}
	}
}

// examine makes every check that the ones before it allow.
func (a *app) examine(cmd *cobra.Command, flags *settingFlags) []finding {
	home, err := a.env.home()
	if err != nil {
		return []finding{{"home", statusFail, err.Error(), "export " + envHome + "=\"$HOME/assay\""}}
	}
	out := []finding{checkHome(home)}
	s, err := a.resolve(cmd, flags)
	switch {
	case err != nil:
		out = append(out, finding{"configuration", statusFail, err.Error(), "correct what the message names"})
	case s.file == "":
		out = append(out, finding{"configuration", statusOK, "none: " + filepath.Join(home, configName) + " does not exist, so defaults hold", ""})
	default:
		out = append(out, finding{"configuration", statusOK, s.file, ""})
	}
	out = append(out, a.checkVariables()...)
	out = append(out, checkCorpora(home)...)
	out = append(out, checkSample(home))
	out = append(out, checkMemories(home)...)
	if err == nil {
		out = append(out, a.checkModels(cmd.Context(), s)...)
	}
	return append(out, checkSkills(s), a.checkTerminal())
}

// checkHome finds out whether the directory can be written, or made, without
// leaving anything behind.
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
			return finding{"home", statusFail, err.Error(), "export " + envHome + "=\"$HOME/assay\""}
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

func (a *app) checkVariables() []finding {
	var out []finding
	for _, name := range a.env.unknown() {
		do := "unset " + name
		if best := nearest(name, ownVariables); best != "" {
			do = fmt.Sprintf("export %s=\"$%s\"; unset %s", best, name, name)
		}
		out = append(out, finding{"variables", statusWarn, name + " is not read by this program; known: " + strings.Join(ownVariables, ", "), do})
	}
	if out == nil {
		var set []string
		for _, name := range slices.Concat(ownVariables, []string{envThreshold, envSkipInjection}, providerVariables) {
			if a.env.get(name) != "" {
				set = append(set, name)
			}
		}
		detail := "none set"
		if set != nil {
			detail = strings.Join(set, ", ")
		}
		out = append(out, finding{"variables", statusOK, detail, ""})
	}
	return out
}

// checkCorpora opens every corpus and looks at the files behind it.
func checkCorpora(home string) []finding {
	list, err := memory.List(home)
	if err != nil {
		return []finding{{"corpora", statusFail, err.Error(), "ls -l " + home}}
	}
	var out []finding
	for _, info := range list {
		if info.Name != sampleCorpus {
			out = append(out, checkCorpus(home, info.Name))
		}
	}
	if out == nil {
		out = []finding{{"corpora", statusOK, "none yet, so the embedded sample answers", "agent ingest DIR"}}
	}
	return out
}

func checkCorpus(home, name string) finding {
	what := fmt.Sprintf("corpus %q", name)
	flag := " --corpus " + name
	corpus, err := memory.Open(home, name)
	var empty *memory.EmptyCorpusError
	if errors.As(err, &empty) {
		return finding{"corpora", statusWarn, err.Error(), "agent ingest PATH…" + flag}
	}
	if err != nil {
		return finding{"corpora", statusFail, err.Error(), "agent ingest --rebuild PATH…" + flag}
	}
	var stale []string
	for _, s := range sourcesOf(corpus) {
		if s.Stale != "" {
			stale = append(stale, s.Source)
		}
	}
	info := corpus.Info()
	if err := corpus.Close(); err != nil {
		return finding{"corpora", statusFail, fmt.Sprintf("%s: %v", what, err), "agent ingest --rebuild PATH…" + flag}
	}
	if stale != nil {
		return finding{"corpora", statusWarn, fmt.Sprintf("%s: %s changed or gone since they were ingested, first %s", what, count(len(stale), "file"), stale[0]), "agent ingest PATH…" + flag}
	}
	return finding{"corpora", statusOK, fmt.Sprintf("%s: %s, %s", what, count(info.Files, "file"), count(info.Passages, "passage")), ""}
}

// checkSample looks at the sample without unpacking it.
func checkSample(home string) finding {
	files, hash, err := sampleFiles()
	if err != nil {
		return finding{"sample", statusFail, err.Error(), "install the program again"}
	}
	dir := sampleDir(home, hash)
	corpus, err := memory.Open(home, sampleCorpus)
	if err != nil {
		if sampleMissing(err) {
			return finding{"sample", statusOK, fmt.Sprintf("%s, unpacked and indexed when it is first used", count(len(files), "embedded file")), ""}
		}
		return finding{"sample", statusFail, err.Error(), "ls -l " + filepath.Join(home, "corpora", sampleCorpus)}
	}
	current := isSample(corpus, dir, len(files))
	if err := corpus.Close(); err != nil {
		return finding{"sample", statusFail, err.Error(), "agent corpus remove sample --yes"}
	}
	if !current {
		return finding{"sample", statusOK, "of another program version or changed; it is prepared anew when it is next used", ""}
	}
	return finding{"sample", statusOK, fmt.Sprintf("%s in %s", count(len(files), "file"), dir), ""}
}

// checkMemories reads every QA memory.
func checkMemories(home string) []finding {
	paths, err := filepath.Glob(filepath.Join(home, "qa", "*.jsonl"))
	if err != nil {
		return []finding{{"memory", statusFail, err.Error(), "ls -l " + filepath.Join(home, "qa")}}
	}
	for _, path := range paths {
		if _, err := memory.OpenQA(path, nil); err != nil {
			return []finding{{"memory", statusFail, err.Error(), "chmod u+rw " + path}}
		}
	}
	detail := "no answers remembered yet"
	if len(paths) > 0 {
		detail = "answers remembered from " + count(len(paths), "corpus file")
	}
	return []finding{{"memory", statusOK, detail, ""}}
}

func checkSkills(s settings) finding {
	set, err := s.loadSkills()
	if err != nil {
		return finding{"skills", statusFail, err.Error(), "correct the files that the message names, or leave out --skills"}
	}
	detail := fmt.Sprintf("%d embedded", len(set.Names()))
	if s.skills != "" {
		detail += ", overlaid by " + s.skills
	}
	return finding{"skills", statusOK, detail, ""}
}

func (a *app) checkTerminal() finding {
	switch {
	case !a.stdout.tty:
		return finding{"terminal", statusOK, "standard output is no terminal: plain text", ""}
	case !a.stdout.colour:
		return finding{"terminal", statusOK, fmt.Sprintf("%d columns, without colour", a.stdout.width), ""}
	}
	return finding{"terminal", statusOK, fmt.Sprintf("%d columns, with colour", a.stdout.width), ""}
}
