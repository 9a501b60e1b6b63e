package retrieval

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/eval/metrics"
)

// Spans stay in characters while passages count bytes.
func TestLegalbenchSpans(t *testing.T) {
	d := fixture(t, "legalbench")
	if diff := cmp.Diff([]metrics.Span{{Doc: "f/a b.txt", End: 36}, {Doc: "f/c.txt", End: 6}}, d.spans); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]metrics.Span{{Doc: "f/a b.txt", Start: 14, End: 36}}, d.Queries[0].Gold); diff != "" {
		t.Error(diff)
	}
}

// A passage is relevant by half of itself or by half of the span.
func TestLegalbenchRelevance(t *testing.T) {
	text := strings.Repeat("a", 399) + "\\n" + strings.Repeat("b", 399) + "\\n"
	for span, want := range map[string][]string{
		`"start":390,"end":420`: {"d#400-800"},            // 10 and 20 of 30: half of the span
		`"start":100,"end":800`: {"d#0-400", "d#400-800"}, // 300 of 700, but more than half of the passage
		`"start":300,"end":780`: {"d#400-800"},            // 100 of 400
		`"start":0,"end":3`:     {"d#0-400"},              // all of the span
		`"start":350,"end":450`: {"d#0-400", "d#400-800"}, // half each
	} {
		d, err := Read(t.Context(), files(t, "legalbench", [3]string{
			`{"id":"d","text":"` + text + `"}`, `{"id":"q","query":"b?","snippets":[{"doc_id":"d",` + span + `}]}`, "",
		}, false), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, d.Queries[0].Relevant()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", span, diff)
		}
	}
}

func TestCut(t *testing.T) {
	word := strings.Repeat("w", 99) + " "
	for _, tt := range []struct {
		name, in string
		want     []int // characters of each piece
	}{
		{"short", "A b.", []int{4}},
		{"at the last sentence", strings.Repeat("s", 300) + ". " + strings.Repeat("t", 150) + "; " + strings.Repeat("u", 100), []int{453, 101}},
		{"at the last line", strings.Repeat("s", 400) + "\n" + strings.Repeat("t", 200), []int{401, 200}},
		{"at a space", strings.Repeat(word, 6), []int{500, 100}},
		{"anywhere", strings.Repeat("é", 1100), []int{500, 500, 100}},
		{"white space alone", strings.Repeat("s", 499) + "\n" + strings.Repeat(" ", 500) + "end", []int{500, 3}},
		{"exactly", strings.Repeat("s", 500), []int{500}},
	} {
		var got []int
		for _, p := range cut([]rune(tt.in)) {
			got = append(got, p.end-p.start)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Pieces are in order, short enough, and hold every character but white space.
func FuzzCut(f *testing.F) {
	for _, seed := range []string{"", "a. b", strings.Repeat("é; \n", 400), strings.Repeat("x", 1001)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) {
			return
		}
		runes, at, bytesAt := []rune(in), 0, 0
		for _, p := range cut(runes) {
			between := string(runes[at:p.start])
			if strings.TrimSpace(between) != "" || p.end <= p.start || p.end-p.start > cutSize || bytesAt+len(between) != p.offset {
				t.Fatalf("piece %+v after %d in %q", p, at, in)
			}
			at, bytesAt = p.end, p.offset+len(string(runes[p.start:p.end]))
		}
		if strings.TrimSpace(string(runes[at:])) != "" {
			t.Fatalf("the end of %q is lost", in)
		}
	})
}
