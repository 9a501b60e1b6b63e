package show

import (
	"context"
	"fmt"
	"html/template"
	"slices"

	"example.com/assay/eval"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/state/proof"
)

// A shownCase is an item as the page shows it.
type shownCase struct {
	eval.Item
	Anchor   string // of its element
	Name     string
	Verdict  string
	Why      []string
	Open     bool
	Evidence template.HTML // the answer next to its evidence

	Lanes    []*lane
	LengthMS float64
}

// show lays out an item. It returns an error if the item's result is not one of its pipeline.
func show(item eval.Item, n int, pipelines []pipeline.Pipeline) (*shownCase, error) {
	c := &shownCase{Item: item, Anchor: fmt.Sprintf("case-%d", n), Name: item.Name(), Verdict: verdict(item), Why: reasons(item), Open: !item.Pass}
	c.Lanes, c.LengthMS = lanesOf(item.Timeline, item.NodeUsage)
	if len(item.Result) == 0 {
		return c, nil
	}
	p, err := eval.Proof(pipelines, item.Pipeline, item.Result)
	if err != nil {
		return nil, fmt.Errorf("case %q: %w", c.Name, err)
	}
	var docs proof.Documents // empty: the passages are shown as they were read
	if item.Document != "" {
		docs = func(context.Context, proof.Document) (proof.Content, error) {
			return proof.Content{Text: item.Document}, nil
		}
	}
	c.Evidence, err = evidence.Section(context.Background(), p, docs, &evidence.Options{Prefix: c.Anchor, Of: c.Anchor + "-name", Level: 4})
	return c, err
}

// A group is the cases of one pipeline.
type group struct {
	Pipeline string
	Passed   int
	Cases    []*shownCase
}

// groupsOf groups cases by pipeline, by name.
func groupsOf(cases []*shownCase) []*group {
	var out []*group
	for _, c := range cases {
		at := slices.IndexFunc(out, func(g *group) bool { return g.Pipeline == c.Pipeline })
		if at < 0 {
			at = len(out)
			out = append(out, &group{Pipeline: c.Pipeline})
		}
		out[at].Cases = append(out[at].Cases, c)
		if c.Pass {
			out[at].Passed++
		}
	}
	slices.SortFunc(out, func(a, b *group) int {
		if a.Pipeline < b.Pipeline {
			return -1
		}
		return 1
	})
	return out
}
