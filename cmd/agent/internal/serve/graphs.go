package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/assistant"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/converse"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/react"
	"example.com/assay/serve"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
	"example.com/assay/telemetry"
)

// settingCorpus is the setting of a run that names its corpus.
const settingCorpus = "corpus"

// theAgent describes the agent as pipelines are.
var theAgent = open.Pipeline{Pipeline: pipeline.Pipeline{
	Name: assistant.Name, Title: "Chat", Corpus: pipeline.Always, Offer: "Let the agent choose what to do",
	About: "Talks about your documents: an agent whose tools are the pipelines. Its answers are proved, or say what is not.",
}}

// graphs makes the graph of the agent, which is the first, and of each pipeline, with its settings.
func (s *server) graphs(ctx context.Context) ([]serve.Graph, error) {
	var out []serve.Graph
	for _, p := range append([]open.Pipeline{theAgent}, open.Pipelines()...) {
		d, app, err := s.on(ctx, p, s.tenants[0], nil) // without settings
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", p.Name, err)
		}
		if p.Name == open.Usual {
			s.sample = d.IsSample()
		}
		if err := d.release(); err != nil {
			return nil, err
		}
		settings, err := s.settingsOf(p)
		if err != nil {
			return nil, err
		}
		steps := converse.Steps
		if p.Name == assistant.Name {
			steps = nil // its tokens are an answer
		}
		out = append(out, serve.Graph{
			Name: p.Name, Title: p.Title, Outcome: outcome, Description: p.About, Offer: p.Offer, Wants: wants(p), App: app, Settings: settings, Steps: steps,
			Open: func(ctx context.Context, tenant string, r runs.Run) (runs.Opening, error) {
				return s.begin(ctx, p, tenant, r)
			},
		})
	}
	return out, nil
}

// wants names the text that a pipeline takes, as a label.
func wants(p open.Pipeline) string {
	if help := p.Message.Help; help != "" {
		return strings.ToUpper(help[:1]) + help[1:]
	}
	return "Your question or text"
}

// outcome returns the status of the answer in the state of a pipeline's conversation or of the agent.
func outcome(data json.RawMessage) string {
	var end struct {
		Answer   struct{ Status state.Status }
		Messages []struct {
			Metadata struct{ Status state.Status } `json:"response_metadata"`
			Kwargs   struct {
				Assay struct{ Check *state.ClaimCheck }
			} `json:"additional_kwargs"`
		}
	}
	if json.Unmarshal(data, &end) != nil {
		return "" // it is of another graph
	}
	status := end.Answer.Status
	if n := len(end.Messages); n > 0 && status == "" {
		last := end.Messages[n-1]
		if status = last.Metadata.Status; last.Kwargs.Assay.Check != nil && last.Kwargs.Assay.Check.ClaimsChecked > 0 && !last.Kwargs.Assay.Check.IsGrounded {
			status = state.StatusUngrounded
		}
	}
	return string(status)
}

// corporaOf lists the values of the setting corpus for a tenant.
func (s *server) corporaOf(tenant string) ([]string, error) {
	list, err := corpora{s}.List(context.Background(), tenant)
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Name
	}
	return names, err
}

// acceptsCorpus refuses an unknown or forbidden corpus before a run begins.
func (s *server) acceptsCorpus(name string, value json.RawMessage) error {
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

// accepts returns a function that refuses wrong values of a pipeline's own setting before a run
// begins: it makes the pipeline with the value.
func (s *server) accepts(p open.Pipeline, f pipeline.Field) func(string, json.RawMessage) error {
	return func(_ string, value json.RawMessage) error {
		d, err := open.NewBare(s.App, s.settings, false)
		if err == nil {
			_, err = p.On(context.Background(), d, map[string]string{f.Name: pipeline.Plain(value)})
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
	if s.issuer.Issuer != "" && s.tenantFile == "" {
		return tenant{Name: name}, nil
	}
	return tenant{}, fmt.Errorf("tenant %q is served no more", name)
}

// begin opens a pipeline for a run, which has its own budget.
func (s *server) begin(ctx context.Context, p open.Pipeline, name string, r runs.Run) (runs.Opening, error) {
	t, err := s.tenant(name)
	if err != nil {
		return runs.Opening{}, err
	}
	d, app, err := s.on(ctx, p, t, r.Spec.Settings)
	if err != nil {
		return runs.Opening{}, err
	}
	release := d.release
	if data, ok := r.Spec.Settings[settingSkill]; ok && s.write { // else nobody has checked it
		var closing func() error
		if app, closing, err = s.prompted(ctx, p, d, data, r.Spec.Settings); err != nil {
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
func (s *server) on(ctx context.Context, p open.Pipeline, t tenant, settings map[string]json.RawMessage) (*desk, graph.App, error) {
	at := place{tenant: t.owner()}
	var err error
	if p.Corpus != pipeline.Never {
		at.corpus, err = t.corpus(settings[settingCorpus], s.settings.Corpus)
		at.sample = p.Sample != nil && at.corpus == config.DefaultCorpus
	}
	if err != nil {
		return nil, graph.App{}, err
	}
	d, err := s.desks.take(ctx, at)
	if err != nil {
		return nil, graph.App{}, err
	}
	var app graph.App
	with := converse.Desk{Desk: d.Desk, HidePaths: s.shared()}
	if conf := p.Conf(settings); len(conf) == 0 {
		app, err = d.app(p.Name, func() (graph.App, error) { return graphOf(context.WithoutCancel(ctx), with, p, nil) })
	} else {
		app, err = graphOf(ctx, with, p, conf)
	}
	if err != nil {
		if closing := d.release(); closing != nil {
			s.Warn("%v", closing)
		}
		return nil, graph.App{}, err
	}
	return d, app, nil
}

// graphOf makes the graph of a pipeline's conversations, or of the agent.
func graphOf(ctx context.Context, d converse.Desk, p open.Pipeline, conf map[string]string) (graph.App, error) {
	if p.Name != assistant.Name {
		return converse.Graph(ctx, d, p, conf)
	}
	g, err := assistant.Graph(ctx, d, nil, true)
	if err != nil {
		return graph.App{}, err
	}
	app, err := g.Compile(&graph.CompileOptions{Name: assistant.Name, Version: assistant.Version, Migrate: react.Migrate})
	if err != nil {
		return graph.App{}, err
	}
	return app.App(), nil
}

// corpus is the name of the corpus that a run of the tenant reads.
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

// settingSkill replaces one prompt for a run. It needs --allow-write.
const settingSkill = page.SettingSkill

// settingsOf lists the settings that callers may choose for a run of a pipeline.
func (s *server) settingsOf(p open.Pipeline) ([]runs.Setting, error) {
	var out []runs.Setting
	if p.Corpus != pipeline.Never {
		schema, err := json.Marshal(map[string]string{"type": "string", "description": "Name of the corpus. Default: the server's.", "default": s.settings.Corpus})
		if err != nil {
			return nil, err
		}
		out = append(out, runs.Setting{
			Name: settingCorpus, Schema: schema,
			Values: s.corporaOf, Accepts: s.acceptsCorpus,
		})
	}
	for _, f := range p.Settings {
		schema, err := f.Described()
		if err != nil {
			return nil, err
		}
		out = append(out, runs.Setting{Name: f.Name, Schema: schema, Accepts: s.accepts(p, f)})
	}
	if s.write {
		out = append(out, runs.Setting{
			Name: settingSkill, Schema: json.RawMessage(`{"type":"object","description":"Another text of one prompt.","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name","text"],"additionalProperties":false}`),
			Accepts: func(_ string, value json.RawMessage) error {
				_, err := s.replacement(p, value)
				return err
			},
		})
	}
	return out, nil
}

// replacement reads a prompt that replaces one of a pipeline's prompts.
func (s *server) replacement(p open.Pipeline, value json.RawMessage) (page.Skill, error) {
	var out page.Skill
	if err := json.Unmarshal(value, &out); err != nil || out.Name == "" {
		return out, fmt.Errorf(`skill is %.100s: it must be {"name": …, "text": …}`, value)
	}
	if names := p.Skills; !slices.Contains(names, out.Name) {
		return out, fmt.Errorf("%s has no prompt %q: it has %s", p.Name, out.Name, strings.Join(names, ", "))
	}
	_, skill, err := s.set.Replace(out.Name, []byte(out.Text))
	if err == nil && skill.Name != out.Name {
		err = fmt.Errorf("the text is of the prompt %q: it must be of %q", skill.Name, out.Name)
	}
	return out, err
}

// prompted makes a pipeline's graph with another prompt, for one run, and a function that closes it.
func (s *server) prompted(ctx context.Context, p open.Pipeline, d *desk, value json.RawMessage, settings map[string]json.RawMessage) (graph.App, func() error, error) {
	skill, err := s.replacement(p, value)
	if err != nil {
		return graph.App{}, nil, err
	}
	own, closing, err := d.Replaced(skill.Name, skill.Text)
	if err != nil {
		return graph.App{}, nil, err
	}
	app, err := converse.Graph(ctx, converse.Desk{Desk: own, HidePaths: s.shared()}, p, p.Conf(settings))
	if err != nil {
		return graph.App{}, nil, cli.Also(err, closing())
	}
	return app, closing, nil
}

// skills returns the prompts of a pipeline, for the page.
func (s *server) skills(pipeline string) []page.Skill {
	p, _ := open.PipelineOf(pipeline) // another graph has no prompts
	var out []page.Skill
	for _, name := range p.Skills {
		if skill, err := s.set.Get(name); err == nil {
			out = append(out, page.Skill{Name: name, Text: skill.Text})
		}
	}
	return out
}
