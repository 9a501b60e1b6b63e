package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/converse"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
	"example.com/assay/telemetry"
)

// Settings of the graphs, which callers choose for a run or an assistant.
const (
	settingCorpus = "corpus"
	settingSchema = "schema"
)

// A pipeline is one that is served.
type pipeline struct {
	name  string
	about string
	takes string // the setting that it has
	make  func(ctx context.Context, d converse.Desk, chosen json.RawMessage) (graph.App, error)
}

// pipelines are what is served, in the order in which it is shown.
var pipelines = []pipeline{
	{"research", "Answers questions from a corpus, with quotes; a question may lean on those before it.", settingCorpus, func(ctx context.Context, d converse.Desk, _ json.RawMessage) (graph.App, error) {
		return converse.Research(ctx, d)
	}},
	{"comply", "Answers compliance questions by the requirements that a corpus lays down.", settingCorpus, func(_ context.Context, d converse.Desk, _ json.RawMessage) (graph.App, error) {
		return converse.Comply(d)
	}},
	{"verify", "Checks the claims of the message against a corpus, and against texts in input.context.", settingCorpus, func(_ context.Context, d converse.Desk, _ json.RawMessage) (graph.App, error) {
		return converse.Verify(d)
	}},
	{"edges", "Verifies causal edges, one on each line: CAUSE => EFFECT.", settingCorpus, func(_ context.Context, d converse.Desk, _ json.RawMessage) (graph.App, error) {
		return converse.Edges(d)
	}},
	{"extract", "Reads the fields of a JSON Schema from the text of the message.", settingSchema, func(_ context.Context, d converse.Desk, schema json.RawMessage) (graph.App, error) {
		return converse.Extract(d, schema)
	}},
}

// schemas describe the values of the settings.
var schemas = map[string]json.RawMessage{
	settingCorpus: json.RawMessage(`{"type":"string","description":"Name of the corpus. Default: the server's."}`),
	settingSchema: json.RawMessage(`{"type":"object","description":"JSON Schema of the fields that are read."}`),
}

// graphs registers the pipelines, and opens what describes them.
func (s *server) graphs(ctx context.Context) ([]serve.Graph, error) {
	var out []serve.Graph
	for _, p := range pipelines {
		d, app, err := s.on(ctx, p, s.tenants[0], nil) // without settings
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", p.name, err)
		}
		if p.name == "research" {
			s.sample = d.IsSample()
		}
		if err := d.release(); err != nil {
			return nil, err
		}
		out = append(out, serve.Graph{
			Name: p.name, Description: p.about, App: app, Settings: s.settingsOf(p), Steps: converse.Steps,
			Open: func(ctx context.Context, tenant string, r runs.Run) (runs.Opening, error) {
				return s.begin(ctx, p, tenant, r)
			},
		})
	}
	return out, nil
}

// values returns what lists the values of a setting; nil for one of any values.
func (s *server) values(setting string) func(string) ([]string, error) {
	if setting != settingCorpus {
		return nil
	}
	return func(tenant string) ([]string, error) {
		list, err := corpora{s}.List(context.Background(), tenant)
		names := make([]string, len(list))
		for i, c := range list {
			names[i] = c.Name
		}
		return names, err
	}
}

// accepts returns what refuses values of a setting before a run begins.
func (s *server) accepts(setting string) func(string, json.RawMessage) error {
	if setting == settingSchema {
		return func(_ string, value json.RawMessage) error { return converse.CheckSchema(value) }
	}
	return func(name string, value json.RawMessage) error {
		t, err := s.tenant(name)
		if err != nil {
			return err
		}
		with := s.settings
		if with.Corpus, err = t.corpus(value, with.Corpus); err == nil {
			_, err = open.CorpusFor(with)
		}
		return err
	}
}

func (s *server) tenant(name string) (tenant, error) {
	for _, t := range s.tenants {
		if t.Name == name {
			return t, nil
		}
	}
	return tenant{}, fmt.Errorf("tenant %q is served no more", name)
}

// begin opens a pipeline for a run, which has its own budget.
func (s *server) begin(ctx context.Context, p pipeline, name string, r runs.Run) (runs.Opening, error) {
	t, err := s.tenant(name)
	if err != nil {
		return runs.Opening{}, err
	}
	d, app, err := s.on(ctx, p, t, r.Spec.Settings)
	if err != nil {
		return runs.Opening{}, err
	}
	release := d.release
	if data, ok := r.Spec.Settings[settingSkill]; ok {
		var closing func() error
		if app, closing, err = s.prompted(ctx, p, d, data, r.Spec.Settings[p.takes]); err != nil {
			return runs.Opening{}, cli.Also(err, d.release())
		}
		release = func() error { return cli.Also(closing(), d.release()) }
	}
	o := runs.Opening{Context: llm.Verbatim(s.exchange.Controls.Budget().Begin(ctx)), App: app, Close: release}
	if rec := d.Recorder(ctx, r.ID); rec != nil {
		o.Context = rec.Context(o.Context)
		o.Observe = func(ev graph.Event[json.RawMessage]) { telemetry.Observe(rec, ev) }
		o.Close = func() error {
			rec.End()
			return release()
		}
	}
	return o, nil
}

// on makes a pipeline's graph for a tenant, on a desk that the caller releases.
func (s *server) on(ctx context.Context, p pipeline, t tenant, settings map[string]json.RawMessage) (*desk, graph.App, error) {
	chosen := settings[p.takes]
	at := place{tenant: t.owner()}
	var err error
	if p.takes == settingCorpus {
		at.corpus, err = t.corpus(chosen, s.settings.Corpus)
		at.county = p.name == "comply" && at.corpus == config.DefaultCorpus
	}
	if err != nil {
		return nil, graph.App{}, err
	}
	d, err := s.desks.take(ctx, at)
	if err != nil {
		return nil, graph.App{}, err
	}
	var app graph.App
	with := converse.Desk{Desk: d.Desk, HidePaths: s.tenantFile != ""}
	if p.takes == settingCorpus {
		app, err = d.app(p.name, func() (graph.App, error) { return p.make(context.WithoutCancel(ctx), with, nil) })
	} else {
		app, err = p.make(ctx, with, chosen)
	}
	if err != nil {
		if closing := d.release(); closing != nil {
			s.Warn("%v", closing)
		}
		return nil, graph.App{}, err
	}
	return d, app, nil
}

// corpus is the one that a run of the tenant reads.
func (t tenant) corpus(chosen json.RawMessage, usual string) (string, error) {
	var name string
	if len(chosen) > 0 {
		if err := json.Unmarshal(chosen, &name); err != nil || name == "" {
			return "", fmt.Errorf("corpus is %s: it must be the name of one", chosen)
		}
		if err := config.CheckCorpus("corpus", name); err != nil {
			return "", err
		}
		if !t.may(name) {
			return "", fmt.Errorf("there is no corpus %q for you; there are %s", name, strings.Join(t.Corpora, ", "))
		}
		return name, nil
	}
	if t.may(usual) {
		return usual, nil
	}
	return t.Corpora[0], nil
}
