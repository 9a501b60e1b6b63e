package memory

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
)

// looker is a detector of a function.
type looker func(texts []string) ([][]text.Span, error)

func (looker) ID() string { return "test:looker" }

func (l looker) Detect(_ context.Context, texts []string) ([][]text.Span, error) { return l(texts) }

// Hits hold the orders that a detector found; one that fails, or answers what is
// none, leaves them, and the result says why.
func TestDetector(t *testing.T) {
	home := liens(t)
	plain := searchIn(t, openWith(t, home, nil), retrieval.Query{Primary: aboutLiens})
	for name, tc := range map[string]struct {
		find looker
		want string // of why nobody looked
	}{
		"first sentence": {func(texts []string) ([][]text.Span, error) {
			out := make([][]text.Span, len(texts))
			out[0] = []text.Span{{Start: 0, End: 4}}
			return out, nil
		}, ""},
		"fails":   {func([]string) ([][]text.Span, error) { return nil, errors.New("down") }, `detecting orders with "test:looker": down`},
		"too few": {func([]string) ([][]text.Span, error) { return nil, nil }, "it looked at 0 of"},
		"outside": {func(texts []string) ([][]text.Span, error) {
			out := make([][]text.Span, len(texts))
			out[0] = []text.Span{{Start: 0, End: len(texts[0]) + 1}}
			return out, nil
		}, "outside of passage 1"},
	} {
		r := searchIn(t, openWith(t, home, &OpenOptions{Detector: tc.find}), retrieval.Query{Primary: aboutLiens})
		if !strings.Contains(r.Uninspected, tc.want) || (r.Uninspected == "") != (tc.want == "") || len(r.Hits) != len(plain.Hits) || len(r.Hits) == 0 {
			t.Fatalf("%s: %d hits, %q", name, len(r.Hits), r.Uninspected)
		}
		orders := r.Hits[0].Passage.Orders
		if tc.want == "" && (len(orders) != 1 || orders[0].End != 4 || orders[0].Kind != "detected") || tc.want != "" && len(orders) != 0 {
			t.Errorf("%s: %+v", name, orders)
		}
		if len(plain.Hits[0].Passage.Orders) != 0 || r.Hits[0].Passage.ID != plain.Hits[0].Passage.ID {
			t.Errorf("%s: the passages of another search changed", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := openWith(t, home, &OpenOptions{Detector: looker(func([]string) ([][]text.Span, error) { cancel(); return nil, ctx.Err() })})
	if _, err := stopped.Search(ctx, retrieval.Query{Primary: aboutLiens}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	none := openWith(t, home, &OpenOptions{Detector: looker(func([]string) ([][]text.Span, error) { return nil, errors.New("asked") })})
	if r := searchIn(t, none, retrieval.Query{Primary: "zzzz qqqq xxxx"}); len(r.Hits) == 0 && r.Uninspected != "" {
		t.Errorf("nothing was found, and %q", r.Uninspected)
	}
}
