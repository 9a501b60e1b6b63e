package main

import (
	"fmt"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func visible(s string) string { return render.Visible(strings.TrimSpace(oneLine(s))) }

func times(n int) string {
	if n == 0 {
		return "never"
	}
	return cli.Count(n, "time")
}

// day is a time for people.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// short is a question as it fits in a list.
func short(text string) string {
	return render.Visible(llm.Cut(strings.Join(strings.Fields(text), " "), 100))
}

// excerptBytes is how much of a passage is shown without --full.
const excerptBytes = 240

// excerpt is a text on one line, shortened unless it is wanted in full.
func excerpt(text string, full bool) string {
	text = strings.Join(strings.Fields(text), " ")
	if !full && len(text) > excerptBytes {
		text = text[:strings.LastIndexByte(text[:excerptBytes], ' ')+1] + "…"
	}
	return render.Visible(text)
}

// trained says in words what the offline embedder was trained on.
func trained(t index.Training) string {
	out := fmt.Sprintf("trained on %s", cli.Count(t.Fitted, "passage"))
	if t.Sampled < t.Fitted {
		out = fmt.Sprintf("trained on %d of %s", t.Sampled, cli.Count(t.Fitted, "passage"))
	}
	if t.RefitAt == 0 {
		return out + ", again at every change"
	}
	return fmt.Sprintf("%s, %d changed since, again at %d", out, t.Changed, t.RefitAt)
}

// calibrated says what confidences were learnt from, and how well it tells.
func calibrated(c index.Calibration) string {
	if c.Held.Questions+c.NotHeld.Questions == 0 {
		return "not learnt: the corpus is too small for questions of its own"
	}
	return fmt.Sprintf("learnt from %d questions that the corpus answers and %d that it does not; on the right side of .5 for %.0f %%", c.Held.Questions, c.NotHeld.Questions, 100*c.Accuracy)
}

// lookedAt says how vectors are looked at.
func lookedAt(t index.Training) string {
	if t.Lists == 0 {
		return "all of them looked at"
	}
	return fmt.Sprintf("in %d lists, %d of them looked at, which hold %.1f %% of the nearest", t.Lists, t.Probes, 100*t.Recall)
}

// cached describes the cache of a remote embedder's vectors.
func cached(s embed.CacheStats) string {
	asked := s.TotalHits + s.TotalMisses
	if asked == 0 {
		return fmt.Sprintf("%s, %s, not asked yet", cli.Count(s.Vectors, "vector"), size(s.Bytes))
	}
	return fmt.Sprintf("%s, %s, found %d of %d that were asked for (%.0f %%)", cli.Count(s.Vectors, "vector"), size(s.Bytes), s.TotalHits, asked, 100*s.HitRate())
}

// ranked tells of a trained ranker in a line.
func ranked(r memory.RankerInfo) string {
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

// cell keeps a spreadsheet from taking text for a formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// printEnd says in words how a run ended whose answer is not whole, or not there.
func printEnd(a *cli.App, end state.End) {
	if end.Status == state.StatusUngrounded || end.Status == state.StatusNoEvidence {
		fmt.Fprintf(a.Stdout, "\n%s\n", visible(end.Words()))
	}
}
