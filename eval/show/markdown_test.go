package show

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// No text changes the summary's layout: rows have as many cells as their heads, and
// there is neither markup nor a line that is not ours.
func TestMarkdownHoldsAnyText(t *testing.T) {
	r, c := hostile(t)
	var b bytes.Buffer
	if err := Markdown(&b, r, c); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.ContainsAny(text, "<>") || strings.Contains(text, "\nand a line") {
		t.Errorf("%s", text)
	}
	cells := regexp.MustCompile(`[^\\]\|`)
	head := 0
	rows := 0
	for line := range strings.Lines(text) {
		switch n := len(cells.FindAllString(line, -1)); {
		case !strings.HasPrefix(line, "|"):
			head = 0
		case head == 0:
			head = n
		default:
			if rows++; n != head {
				t.Errorf("%d cells, the head has %d: %s", n, head, line)
			}
		}
	}
	if rows < 10 {
		t.Errorf("%d rows", rows)
	}
}

func TestMarkdown(t *testing.T) {
	r, c := hostile(t)
	r.Items[0].ID, r.Items[1].ID, r.Flaky = "permit", "permit", []string{"permit"}
	r.Items[0].Misses = []string{`the status is "answered", expected "no_evidence"`}
	c.Regressions, c.Cases[0].ID = []string{"pass_rate got worse in permit"}, "permit"
	var b bytes.Buffer
	if err := Markdown(&b, r, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# 0 of 2 cases passed\n", "- **Regression:** pass\\_rate got worse in permit\n", "- permit: passed 0.5, was 1\n", "| pass rate | 1 | 0.5 | -0.5 | -1 to 0 | 0.25 | 2 |\n",
		"- **permit \\#1**\n  - the status is \"answered\", expected \"no\\_evidence\"\n", "- **lost \\#1**\n  - not run: no such file", "Not the same in 2 repeats: permit\n",
		"| permit \\#2 | research | pass | answered | 0 | 500 ms | 0 |\n", "| lost \\#1 | edges | ERROR | failed |", "Expected calibration error ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := Markdown(&b, r, nil); err != nil || strings.Contains(b.String(), "baseline") {
		t.Errorf("%v: a baseline that there is not:\n%s", err, b.String())
	}
}
