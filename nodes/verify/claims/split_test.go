package claims

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/internal/racetest"
	"example.com/assay/state"
)

type splitCase struct {
	ID       string        `json:"id"`
	Response string        `json:"response"`
	Claims   []state.Claim `json:"claims"`
}

func splitCases(t testing.TB) []splitCase {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "split.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []splitCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c splitCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", len(out)+1, err)
		}
		out = append(out, c)
	}
	return out
}

func describe(claims []state.Claim) []string {
	out := []string{}
	for _, c := range claims {
		out = append(out, fmt.Sprintf("%q %q %q", c.Text, c.Cites, c.Context))
	}
	return out
}

func TestSplit(t *testing.T) {
	for _, c := range splitCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			got := Split(c.Response)
			check(t, c.Response, got)
			if got, want := describe(got), describe(c.Claims); !slices.Equal(got, want) {
				t.Errorf("%q\n got  %s\n want %s", c.Response, strings.Join(got, "\n      "), strings.Join(want, "\n      "))
			}
		})
	}
}

// check holds what is true of the claims of any response.
func check(t *testing.T, response string, claims []state.Claim) {
	t.Helper()
	last := 0
	for i, c := range claims {
		switch {
		case c.ID != i+1:
			t.Fatalf("claim %d has the id %d", i+1, c.ID)
		case c.Start < last || c.End <= c.Start || c.End > len(response):
			t.Fatalf("claim %d is bytes %d to %d, after %d of %d", c.ID, c.Start, c.End, last, len(response))
		case response[c.Start:c.End] != c.Text:
			t.Fatalf("claim %d is %q and its bytes are %q", c.ID, c.Text, response[c.Start:c.End])
		case strings.TrimSpace(c.Text) != c.Text:
			t.Fatalf("claim %q has space around it", c.Text)
		}
		for _, l := range c.Cites {
			if l == "" || strings.ContainsAny(l, "[]\n") {
				t.Fatalf("claim %q cites %q", c.Text, l)
			}
		}
		last = c.End
	}
}

// Two responses in one, as two paragraphs, have the claims of both.
func TestSplitIsLocal(t *testing.T) {
	cases := splitCases(t)
	for i, a := range cases {
		b := cases[(i*7+3)%len(cases)]
		if strings.Contains(strings.ToLower(a.Response), "sources") || strings.Contains(a.Response, "References") || strings.HasSuffix(a.Response, ":") {
			continue // these reach on
		}
		got := Split(a.Response + "\n\nA paragraph between them is true.\n\n" + b.Response)
		if want := len(a.Claims) + 1 + len(b.Claims); len(got) != want {
			t.Errorf("%s and %s: %d claims, want %d: %q", a.ID, b.ID, len(got), want, describe(got))
		}
	}
}

// A long response takes time in proportion to its length, whatever is in it.
func TestSplitIsLinear(t *testing.T) {
	for i, unit := range []string{
		"The fee is 50 euros and the deposit is 80 euros [1]. ", "a", " ", "\n", ".", "[1]", "“", "”", "“a.” [1] ", "- a:\n", "  - x\n", "|", "| a | b |\n", "*", "a.", "# h\n",
		"(Source 1", "[Query 1]", "> ", "```\n", "the a and ", "。", "\xff", "x; ", "a [1]. ",
	} {
		size := 1 << 17 / racetest.Slower
		if i == 0 {
			size = 1 << 20 / racetest.Slower // as people write
		}
		s := strings.Repeat(unit, size/len(unit))
		start := time.Now()
		check(t, s, Split(s))
		if took := time.Since(start); took > 4*racetest.Slower*time.Second {
			t.Errorf("%q took %v", unit, took)
		} else if testing.Verbose() {
			t.Logf("%q: %v", unit, took)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, c := range splitCases(f) {
		f.Add(c.Response)
	}
	f.Add("The fee is \xff50. [\xffSource 1]\n- \x80:\n\t- a\r\n|\xc0|\n|-|\n|a|")
	f.Fuzz(func(t *testing.T, response string) {
		check(t, response, Split(response))
	})
}

// A sentence with very many marks does not cost the square of them.
func TestManyMarks(t *testing.T) {
	var b strings.Builder
	b.WriteString("The fee is 50 euros")
	for i := range 50_000 {
		fmt.Fprintf(&b, " [REQ-%d]", i)
	}
	start := time.Now()
	got := Split(b.String())
	check(t, b.String(), got)
	if took := time.Since(start); len(got) != 1 || len(got[0].Cites) != mostLabels || took > 4*racetest.Slower*time.Second {
		t.Errorf("%d claims in %v: %q", len(got), took, describe(got))
	}
}
