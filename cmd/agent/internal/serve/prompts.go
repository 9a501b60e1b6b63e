package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/converse"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// settingSkill replaces one prompt for a run. It is there only with --allow-write.
const settingSkill = page.SettingSkill

// settingsOf are what callers may choose for a run of a pipeline.
func (s *server) settingsOf(p open.Pipeline) ([]runs.Setting, error) {
	var out []runs.Setting
	if p.Corpus != pipeline.Never {
		out = append(out, runs.Setting{
			Name: settingCorpus, Schema: json.RawMessage(`{"type":"string","description":"Name of the corpus. Default: the server's."}`),
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

// skillsOf names the prompts of a pipeline.
func skillsOf(pipeline string) []string {
	p, err := open.PipelineOf(pipeline)
	if err != nil {
		return nil // a graph without prompts
	}
	return p.Skills
}

// replacement reads a prompt that is to stand in place of a pipeline's own.
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

// prompted makes a pipeline's graph with another prompt, and what closes it. It is of one run.
func (s *server) prompted(ctx context.Context, p open.Pipeline, d *desk, value json.RawMessage, settings map[string]json.RawMessage) (graph.App, func() error, error) {
	skill, err := s.replacement(p, value)
	if err != nil {
		return graph.App{}, nil, err
	}
	own, closing, err := d.Replaced(skill.Name, skill.Text)
	if err != nil {
		return graph.App{}, nil, err
	}
	app, err := converse.Graph(ctx, converse.Desk{Desk: own, HidePaths: s.tenantFile != ""}, p, confOf(p, settings))
	if err != nil {
		return graph.App{}, nil, cli.Also(err, closing())
	}
	return app, closing, nil
}

// skills are the prompts of a pipeline, as the page shows them.
func (s *server) skills(pipeline string) []page.Skill {
	var out []page.Skill
	for _, name := range skillsOf(pipeline) {
		if skill, err := s.set.Get(name); err == nil {
			out = append(out, page.Skill{Name: name, Text: skill.Text})
		}
	}
	return out
}
