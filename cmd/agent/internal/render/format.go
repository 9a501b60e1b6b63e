package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// Size formats a number of bytes for people.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// OneLine replaces every run of white space by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Line is a text on one line, with control characters made visible.
func Line(s string) string { return Visible(OneLine(s)) }

// Times formats a count: "never", "1 time", "3 times".
func Times(n int) string {
	if n == 0 {
		return "never"
	}
	return cli.Count(n, "time")
}

// Day formats a time for people.
func Day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Short shortens a question for a list.
func Short(text string) string {
	return Visible(llm.Cut(OneLine(text), 100))
}

// excerptBytes is the length of a passage as it is shown without --full.
const excerptBytes = 240

// Excerpt is a text on one line, shortened unless full is set.
func Excerpt(text string, full bool) string {
	text = OneLine(text)
	if !full && len(text) > excerptBytes {
		text = text[:strings.LastIndexByte(text[:excerptBytes], ' ')+1] + "…"
	}
	return Visible(text)
}

// Training describes how the offline embedder was trained.
func Training(t index.Training) string {
	out := fmt.Sprintf("trained on %s", cli.Count(t.Fitted, "passage"))
	if t.Sampled < t.Fitted {
		out = fmt.Sprintf("trained on %d of %s", t.Sampled, cli.Count(t.Fitted, "passage"))
	}
	if t.RefitAt == 0 {
		return out + ", again at every change"
	}
	return fmt.Sprintf("%s, %d changed since, again at %d", out, t.Changed, t.RefitAt)
}

// LookedAt describes how vectors are searched.
func LookedAt(t index.Training) string {
	if t.Lists == 0 {
		return "all of them looked at"
	}
	return fmt.Sprintf("in %d lists, %d of them looked at, which hold %.1f %% of the nearest", t.Lists, t.Probes, 100*t.Recall)
}

// Cache describes the cache of a remote embedder's vectors.
func Cache(s embed.CacheStats) string {
	asked := s.TotalHits + s.TotalMisses
	if asked == 0 {
		return fmt.Sprintf("%s, %s, not asked yet", cli.Count(s.Vectors, "vector"), Size(s.Bytes))
	}
	return fmt.Sprintf("%s, %s, found %d of %d that were asked for (%.0f %%)", cli.Count(s.Vectors, "vector"), Size(s.Bytes), s.TotalHits, asked, 100*s.HitRate())
}

// Ranker describes a trained ranker in one line.
func Ranker(r memory.RankerInfo) string {
	what := fmt.Sprintf("%s, trained on %s, %s %.3f without it and %.3f with it on held-back ones", r.ID, cli.Count(r.Questions, "judged question"), r.Metric, r.Before, r.After)
	switch {
	case !r.InUse && r.ID == "":
		return "not in use: " + r.Fault
	case !r.InUse:
		return what + "; not in use: " + r.Fault
	case r.Changed:
		return what + "; in use, though the corpus has changed since"
	}
	return what + "; in use"
}

// Cell protects a text from being read as a formula by a spreadsheet.
func Cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// NodeUsage is a line for each node that called a model, sorted by name.
func NodeUsage(nodes map[string]state.ModelUsage) []string {
	names := slices.Sorted(maps.Keys(nodes))
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	var lines []string
	for _, name := range names {
		lines = append(lines, name+strings.Repeat(" ", width-len(name))+"  "+nodes[name].Words())
	}
	return lines
}

// Warnings prints the warnings of an answer, and its sources that have changed since the run.
func Warnings(a *cli.App, answer state.Answer) {
	for _, w := range answer.Warnings {
		a.Warn("%s", w)
	}
	for _, s := range answer.Sources {
		if s.Stale != "" {
			a.Warn("source %d, %s, is stale: %s", s.N, s.Doc, s.Stale)
		}
	}
}

// SearchedFor lists the words that were searched for instead of, or in addition to, words of the
// query. It is "" when there are none.
func SearchedFor(list []state.Respelling) string {
	if len(list) == 0 {
		return ""
	}
	words := make([]string, len(list))
	for i, r := range list {
		words[i] = r.As + " (not " + r.Word + ")"
		if r.Also {
			words[i] = r.As + " (as well as " + r.Word + ")"
		}
	}
	return "searched for: " + Visible(strings.Join(words, ", ")) + "\n"
}
