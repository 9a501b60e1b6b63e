package open

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/decide/injection"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Research makes the pipeline that answers questions. A given memory replaces the corpus's
// own.
func (d *Desk) Research(ctx context.Context, memory research.Memory) (*research.Pipeline, error) {
	opts, err := researchOptions(d.App, d.Settings)
	if err != nil {
		return nil, err
	}
	deps := research.Deps{Model: d.Model, Skills: d.Set, Corpus: d.Corpus, Inspect: injection.Orders}
	switch {
	case !d.Memory:
	case memory != nil:
		deps.Memory = memory
	default:
		d.answers, deps.Memory, err = openRecall(ctx, d.Exchange.Store, d.tenant, d.Settings, d.Corpus, d.Set)
		if errors.As(err, new(*qa.DamagedError)) {
			d.Warn("%v; answering without memory", err)
		} else if err != nil {
			return nil, fmt.Errorf("%w; --no-memory answers without it", err)
		}
	}
	if d.Threads != nil {
		opts.Checkpointer = d.Threads
	}
	if d.OffersEdges() {
		tool, err := d.edgeTool()
		if err != nil {
			return nil, err
		}
		opts.Tools = []research.Tool{tool}
	}
	if d.SearchTool && d.Workers == nil {
		sessions, err := d.Exchange.Sessions(ctx, d.Settings)
		if err != nil {
			return nil, err
		}
		for _, session := range sessions {
			for _, name := range d.Servers[session.Server()].Tools {
				tool, err := session.Tool(name)
				if err != nil {
					return nil, err
				}
				opts.Tools = append(opts.Tools, research.Tool{Callable: tool})
			}
		}
	}
	return research.New(deps, opts)
}

// researchOptions are the pipeline's options from the settings.
func researchOptions(a *cli.App, s config.Settings) (*research.Options, error) {
	opts := &research.Options{
		SkipInjectionCheck: s.SkipInjection, ConfidenceThreshold: s.Threshold, SearchTool: s.SearchTool,
		SkipVerification: !s.Verification.Enabled, Verify: s.Verification.Options(),
	}
	if writingModel(s) == offline.Name {
		opts.Passages, opts.WarnOfCited = research.OfflinePassages, true
	}
	opts.Verify.WarnOfQuoted = modelOf(s, skills.JudgeClaim) == offline.Name
	return opts, CheckSearchTool(a, s)
}

// writingModel is the model that writes answers.
func writingModel(s config.Settings) string { return modelOf(s, skills.SynthesizeAndCite) }

func modelOf(s config.Settings, skill string) string {
	return cmp.Or(s.ModelsBySkill()[skill], s.Model)
}

// CheckSearchTool refuses the search tool for a model that calls no tools. With a cassette
// the model is not known, and need not be.
func CheckSearchTool(a *cli.App, s config.Settings) error {
	if !s.SearchTool || s.Replayed != "" || a.Models[writingModel(s)] == nil {
		return nil
	}
	return cli.Usagef("%s is set, but the model that writes the answer, %s, calls no tools: choose another with --model, or turn it off with --search-tool=false", config.KeySearchTool, writingModel(s))
}

// edgeTool is the tool verify_edge for the model that writes answers. The model can cite
// the passages that the tool quotes.
func (d *Desk) edgeTool() (research.Tool, error) {
	p, err := d.Edges()
	if err != nil {
		return research.Tool{}, err
	}
	tool, err := causal.VerifyEdge(p)
	return research.Tool{Callable: tool, Passages: func(result json.RawMessage) ([]state.Passage, error) {
		return causal.Quoted(result, d.Corpus)
	}}, err
}

// Verify makes the pipeline that checks a response.
func (d *Desk) Verify() (*verify.Pipeline, error) {
	deps := verify.Deps{Model: d.Model, Skills: d.Set, Inspect: injection.Orders}
	if d.Corpus != nil {
		deps.Corpus = d.Corpus
	}
	opts := d.Verification.Options()
	opts.WarnOfQuoted = modelOf(d.Settings, skills.JudgeClaim) == offline.Name
	return verify.New(deps, opts)
}

// Comply makes the pipeline that answers compliance questions.
func (d *Desk) Comply(modelReview bool) (*evidence.Pipeline, error) {
	return evidence.New(evidence.Deps{Model: d.Model, Skills: d.Set, Corpus: d.Corpus, Inspect: injection.Orders}, &evidence.Options{ModelReview: modelReview})
}

// Edges makes the pipeline that verifies causal edges.
func (d *Desk) Edges() (*causal.Pipeline, error) {
	opts := d.Grounding.Options(d.Limits.Concurrency)
	if d.Threads != nil && !d.InSession {
		opts.Checkpointer = d.Threads
	}
	return causal.New(causal.Deps{Model: d.Model, Skills: d.Set, Corpus: d.Corpus, Embedder: d.Corpus, Inspect: injection.Orders}, opts)
}

// Extract makes the pipeline that reads the fields of a schema.
func (d *Desk) Extract(schema *extract.Schema, opts *extract.Options) (*extract.Pipeline, error) {
	return extract.New(extract.Deps{Model: d.Model, Skills: d.Set, Schema: schema}, opts)
}
