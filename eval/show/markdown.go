package show

import (
	"fmt"
	"io"
	"strings"

	"example.com/assay/eval"
	"example.com/assay/serve/page/look"
)

// Markdown writes results as the summary of a CI job: passes, failures with their reasons, what got
// worse since the baseline if c is not nil, and the metrics. Names, answers and errors are escaped,
// never markup.
func Markdown(w io.Writer, r eval.Results, c *eval.Comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d of %s passed\n\n", r.Passed, look.Count(r.N, "case"))
	fmt.Fprintf(&b, "Model %s, %s%s, %s\n", inMarkdown(r.Model), inMarkdown(r.Made.Version), repeats(r), inMarkdown(r.Made.Date))
	changesMarkdown(&b, c)
	failuresMarkdown(&b, r)

	b.WriteString("\n## Cases\n\n| case | pipeline | result | status | calls | time | cost |\n|---|---|---|---|--:|--:|--:|\n")
	for _, item := range r.Items {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %s | %s |\n", inMarkdown(item.Name()), inMarkdown(item.Pipeline), verdict(item), inMarkdown(look.Plain(string(item.Status))), item.Usage.Calls, look.Duration(item.LatencyMS), cost(item.Usage))
	}

	b.WriteString("\n## Metrics\n\n| metric | mean | 95 % interval |\n|---|--:|---|\n")
	for _, name := range r.MetricNames() {
		v := r.Metrics[name]
		fmt.Fprintf(&b, "| %s | %s | %s to %s |\n", inMarkdown(look.Plain(name)), look.Number(v.Value), look.Number(v.Lo), look.Number(v.Hi))
	}
	fmt.Fprintf(&b, "\nLatency p50 %s, p95 %s. Intervals are over cases: %d bootstrap resamples, seed %d.\n", look.Duration(r.Latency.P50), look.Duration(r.Latency.P95), r.Resample.Resamples, r.Resample.Seed)
	if r.Calibration.N > 0 {
		fmt.Fprintf(&b, "Expected calibration error %s over %s that answered.\n", look.Number(r.Calibration.ECE), look.Count(r.Calibration.N, "run"))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

func repeats(r eval.Results) string {
	if r.Repeats < 2 {
		return ""
	}
	return fmt.Sprintf(", %d repeats of each case", r.Repeats)
}

func verdict(item eval.Item) string {
	switch {
	case item.Pass:
		return "pass"
	case notRun(item):
		return "ERROR"
	}
	return "FAIL"
}

func failuresMarkdown(b *strings.Builder, r eval.Results) {
	heading := "\n## What failed\n\n"
	for _, item := range r.Items {
		why := reasons(item)
		if len(why) == 0 {
			continue
		}
		fmt.Fprintf(b, "%s- **%s**\n", heading, inMarkdown(item.Name()))
		heading = ""
		for _, reason := range why {
			fmt.Fprintf(b, "  - %s\n", inMarkdown(reason))
		}
	}
	if len(r.Flaky) > 0 {
		fmt.Fprintf(b, "\nNot the same in %d repeats: %s\n", r.Repeats, inMarkdown(strings.Join(r.Flaky, ", ")))
	}
}

func changesMarkdown(b *strings.Builder, c *eval.Comparison) {
	if c == nil {
		return
	}
	b.WriteString("\n## Since the baseline\n\n")
	for _, sentence := range c.Regressions {
		fmt.Fprintf(b, "- **Regression:** %s\n", inMarkdown(sentence))
	}
	for _, change := range c.Cases {
		fmt.Fprintf(b, "- %s: passed %s, was %s\n", inMarkdown(change.ID), look.Number(change.Is), look.Number(change.Was))
	}
	if len(c.Regressions)+len(c.Cases) == 0 {
		b.WriteString("Nothing has changed.\n")
	}
	heading := "\n| metric | was | is | difference | 95 % interval | p | cases |\n|---|--:|--:|--:|---|--:|--:|\n"
	for _, m := range c.Metrics {
		if m.Difference != 0 {
			fmt.Fprintf(b, "%s| %s | %s | %s | %+.4g | %s to %s | %.3g | %d |\n", heading, inMarkdown(look.Plain(m.Name)), look.Number(m.Was), look.Number(m.Is), m.Difference, look.Number(m.Lo), look.Number(m.Hi), m.P, m.N)
			heading = ""
		}
	}
}

// markdownEscapes escapes text in a line of GitHub's Markdown.
var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;",
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "#", `\#`, "@", "&#64;", "://", "&#58;//")

// inMarkdown returns text escaped, on one line.
func inMarkdown(s string) string {
	return markdownEscapes.Replace(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "))
}
