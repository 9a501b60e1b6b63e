package open

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
)

// A Kind is a pipeline that is made again from the configuration of a trace or of a run.
type Kind struct {
	Skills []string
	Corpus bool // it cannot do without one
	app    func(context.Context, *Desk, map[string]string) (graph.App, error)
}

// kinds are the pipelines by the names of their graphs.
var kinds = map[string]Kind{
	"research": {research.Skills(), true, func(ctx context.Context, d *Desk, _ map[string]string) (graph.App, error) {
		p, err := d.Research(ctx, nil)
		return appOf(p, err)
	}},
	"comply": {evidence.Skills(), true, func(_ context.Context, d *Desk, conf map[string]string) (graph.App, error) {
		p, err := d.Comply(conf[config.TracedReview] == "true")
		return appOf(p, err)
	}},
	"edges": {causal.Skills(), true, func(_ context.Context, d *Desk, _ map[string]string) (graph.App, error) {
		p, err := d.Edges()
		return appOf(p, err)
	}},
	"extract": {extract.Skills(), false, func(_ context.Context, d *Desk, conf map[string]string) (graph.App, error) {
		p, _, err := d.ExtractAgain(conf)
		return appOf(p, err)
	}},
	"verify": {verify.Skills(), false, func(_ context.Context, d *Desk, _ map[string]string) (graph.App, error) {
		p, err := d.Verify()
		return appOf(p, err)
	}},
}

// KindOf returns the pipeline whose graph has a name.
func KindOf(name string) (Kind, error) {
	k, known := kinds[name]
	if !known {
		return k, fmt.Errorf("there is no graph %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	return k, nil
}

// Want is what the pipeline needs with a configuration.
func (k Kind) Want(conf map[string]string) Want {
	w := Want{Skills: k.Skills}
	if conf["corpus"] != "" {
		w.Corpus = Corpus
	}
	return w
}

// App makes the pipeline's graph on a desk of [Kind.Want].
func (k Kind) App(ctx context.Context, d *Desk, conf map[string]string) (graph.App, error) {
	return k.app(ctx, d, conf)
}

func appOf[S any](p interface{ Graph() *graph.Compiled[S] }, err error) (graph.App, error) {
	if err != nil {
		return graph.App{}, err
	}
	return p.Graph().App(), nil
}

// ExtractAgain makes the pipeline that reads the fields of a configuration's schema.
func (d *Desk) ExtractAgain(conf map[string]string) (*extract.Pipeline, *extract.Schema, error) {
	schema, opts, err := extractOptions(conf)
	if err != nil {
		return nil, nil, err
	}
	p, err := d.Extract(schema, opts)
	return p, schema, err
}

// extractOptions are the schema and the options of a configuration.
func extractOptions(conf map[string]string) (*extract.Schema, *extract.Options, error) {
	schema, err := extract.ParseSchema([]byte(conf[config.TracedSchema]))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the schema: %w", err)
	}
	iterations, err := strconv.Atoi(cmp.Or(conf[config.TracedIterations], "0"))
	if err != nil || iterations < 0 {
		return nil, nil, fmt.Errorf("%s is %q: it must be a whole number", config.TracedIterations, conf[config.TracedIterations])
	}
	return schema, &extract.Options{MaxIterations: iterations, Review: conf[config.TracedOpinion] == "true"}, nil
}
