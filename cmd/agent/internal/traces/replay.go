package traces

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/text"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

func traceReplay(a *cli.App, cmd *cobra.Command, f *replayFlags, path string) (err error) {
	for _, name := range []string{"from", "skill", "case", "trace"} {
		if cmd.Flags().Changed(name) && cmd.Flags().Lookup(name).Value.String() == "" {
			return cli.Usagef("--%s is empty: name a node, or a file", name)
		}
	}
	was, err := readTrace(path)
	if err != nil {
		return err
	}
	if err := checkReplayable(path, was); err != nil {
		return err
	}
	if f.study == "" {
		asks := !cmd.Flags().Changed("model") && !cmd.Flags().Changed("replay")
		if f.settings.Traced, err = config.TracedSettings(a, path, was[0].Header.Config, asks); err != nil {
			return err
		}
	}
	s, err := config.Resolve(a, cmd, &f.settings)
	if err != nil {
		return err
	}
	s.SkillFile = f.skill
	changed, point, err := f.point(s, path, was)
	if err != nil {
		return err
	}
	ctx, cancel := cli.Within(cmd.Context(), f.settings.Timeout)
	defer cancel()
	files, err := f.settings.Cassette(cmd)
	if err != nil {
		return err
	}
	x, err := open.NewExchange(a, files, &s)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, x.Close()) }()
	var r *rerunner
	if f.study != "" {
		r, err = openCaseRerun(ctx, a, s, x, f.study)
	} else {
		r, err = openRerun(ctx, a, s, x, path, was[0])
	}
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, r.close()) }()
	shown := render.NewProgress(a, f.asJSON)
	before, after, err := r.both(x.Controls.Budget().Begin(ctx), path, was, point, shown)
	shown.Close()
	if err != nil {
		return err
	}
	report, err := newReplay(path, was, after.records)
	if err != nil {
		return err
	}
	report.From, report.Skill = f.from, changed
	report.Before, report.After = outcomeOf(before), outcomeOf(after)
	if f.out != "" {
		var b bytes.Buffer
		if err := trace.Write(&b, after.records); err != nil {
			return err
		}
		if err := cli.WriteFile(f.out, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing the trace: %w", err)
		}
	}
	if f.asJSON {
		a.PrintJSON(report)
	} else {
		printReplay(a, report)
	}
	warnOfSkill(a, changed, after.records)
	if !report.Equal {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// checkReplayable refuses a trace without the input of its run.
func checkReplayable(path string, was []trace.Record) error {
	first := was[0]
	switch {
	case first.Kind != graph.RunStart.String() || first.Header == nil || len(first.Places) != 1:
		return cli.Usagef("%s: it does not begin with the start of a run, so it cannot be run again", path)
	case first.Places[0].Step != -1 || len(first.Header.Input) == 0:
		return cli.Usagef("%s: its run continued a thread, and the earlier part is not in the trace; ask the question again with agent ask --trace FILE", path)
	case !bytes.HasPrefix(bytes.TrimSpace(first.Header.Input), []byte("[")):
		return cli.Usagef("%s: an older version wrote it, so its first line lacks a part of the input; make a new trace", path)
	}
	return nil
}

// point reads the changed skill, and returns the point from which the run is live, nil for its
// beginning. An inner node may be named without the outer node if its name is unique.
func (f *replayFlags) point(s config.Settings, path string, was []trace.Record) (skill string, rec *trace.Recording, err error) {
	if f.skill != "" {
		without := s
		without.SkillFile = ""
		set, err := without.LoadSkills()
		if err != nil {
			return "", nil, err
		}
		_, changed, err := config.ReplaceSkill(set, f.skill)
		if err != nil {
			return "", nil, cli.Usagef("loading --skill: %w; known: %s", err, strings.Join(set.Names(), ", "))
		}
		skill = changed.Name
		if asked := askedSkills(was); !slices.Contains(asked, skill) {
			return "", nil, cli.Usagef("%s: the run never asked the skill %s of %s; it asked: %s", path, skill, f.skill, strings.Join(asked, ", "))
		}
	}
	var opts trace.RecordingOptions
	switch nodes := trace.Nodes(was); {
	case f.from == "" && skill == "":
		return "", nil, nil
	case f.from == "":
		opts.Live = func(rec trace.Record) bool { return skillOf(rec) == skill }
	case !slices.Contains(nodes, f.from):
		inner := slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return !strings.HasSuffix(name, "/"+f.from) })
		if len(inner) == 1 {
			opts.From, f.from = inner[0], inner[0]
			break
		}
		return "", nil, cli.Usagef("--from is %q: no such node ran%s; there are: %s", f.from, text.DidYouMean(f.from, nodes), strings.Join(nodes, ", "))
	default:
		opts.From = f.from
	}
	rec, err = trace.NewRecording(was, &opts)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return skill, rec, err
}

// skillOf is the skill of a model call's record, "" for other records.
func skillOf(rec trace.Record) string {
	var call event.Call
	if rec.Kind != event.ModelCall || json.Unmarshal(rec.Data, &call) != nil {
		return ""
	}
	return call.Skill
}

// askedSkills returns the skills that a run used, sorted.
func askedSkills(records []trace.Record) []string {
	asked := map[string]bool{}
	for _, rec := range records {
		if skill := skillOf(rec); skill != "" {
			asked[skill] = true
		}
	}
	return slices.Sorted(maps.Keys(asked))
}

// warnOfSkill warns when a changed prompt had no effect, and says why.
func warnOfSkill(a *cli.App, skill string, is []trace.Record) {
	if skill == "" {
		return
	}
	asked := false
	for _, rec := range is {
		var call event.Call
		if rec.Kind != event.ModelCall || rec.Replayed || json.Unmarshal(rec.Data, &call) != nil || call.Skill != skill {
			continue
		}
		asked = true
		if call.Model == offline.Name {
			a.Warn("the offline model answers skill %s by an algorithm and does not read its prompt: name a model with --model", skill)
			return
		}
	}
	if !asked {
		a.Warn("skill %s was not used after the point, so its change had no effect", skill)
	}
}

// outcomeOf returns the parts of a run's answer that a replay compares.
func outcomeOf(r rerun) replayedAnswer {
	out := replayedAnswer{Status: r.answer.Status, Choice: r.answer.Choice, Confidence: r.answer.Confidence, Answer: r.answer.Answer, Error: r.answer.Error}
	if r.err != nil {
		out.Status, out.Error = cmp.Or(out.Status, state.StatusFailed), r.err.Error()
	}
	return out
}
