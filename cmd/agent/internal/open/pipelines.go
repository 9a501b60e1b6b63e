package open

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/decide/injection"
	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/internal/plainfile"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/glossary"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Pipeline is a pipeline that the program offers.
type Pipeline struct {
	pipeline.Pipeline
	// Traced are the keys of settings that its traces record.
	Traced []string
	// Sample opens its corpus. Default: [Corpus].
	Sample func(context.Context, *cli.App, config.Settings, *memory.OpenOptions) (*memory.Corpus, error)
	make   func(ctx context.Context, d *Desk, conf map[string]string) (pipeline.Instance, error)
}

// Pipelines lists the pipelines of the program, in the order in which they are shown. A pipeline
// that is added here becomes a command, a slash command of the session, a tool, an assistant, a
// model, a form, and a pipeline for cases.
func Pipelines() []Pipeline {
	return []Pipeline{
		{Pipeline: research.About(), Traced: config.AskTraced, make: makeResearch},
		{Pipeline: verify.About(), Traced: config.VerifyTraced, make: makeVerify},
		{Pipeline: causal.About(), Traced: config.CausalTraced, make: makeEdges},
		{Pipeline: evidence.About(), Sample: ComplyCorpus, make: makeComply},
		{Pipeline: extract.About(), make: makeExtract},
		{Pipeline: glossary.About()},
	}
}

// Usual is the pipeline that answers when none is named.
const Usual = "research"

// Abouts are the pipelines as their packages describe them.
func Abouts() []pipeline.Pipeline {
	var list []pipeline.Pipeline
	for _, p := range Pipelines() {
		list = append(list, p.Pipeline)
	}
	return list
}

// PipelineOf returns the pipeline with a name.
func PipelineOf(name string) (Pipeline, error) {
	var names []string
	for _, p := range Pipelines() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return Pipeline{}, fmt.Errorf("there is no graph %q; there are %s", name, strings.Join(names, ", "))
}

// MustPipeline is PipelineOf for a name that is in the list.
func MustPipeline(name string) Pipeline {
	p, err := PipelineOf(name)
	if err != nil {
		panic(err) // a mistake of the program
	}
	return p
}

// Want says what the pipeline needs on its desk, with the configuration of a trace or a run.
func (p Pipeline) Want(conf map[string]string) Want {
	w := Want{Skills: p.Skills}
	if conf["corpus"] != "" {
		w.Corpus = p.Opener()
	}
	return w
}

// Opener returns the function that opens its corpus.
func (p Pipeline) Opener() func(context.Context, *cli.App, config.Settings, *memory.OpenOptions) (*memory.Corpus, error) {
	if p.Sample != nil {
		return p.Sample
	}
	return Corpus
}

// On makes the pipeline on a desk. Conf holds the values of its settings, by name.
func (p Pipeline) On(ctx context.Context, d *Desk, conf map[string]string) (pipeline.Instance, error) {
	if p.make != nil {
		return p.make(ctx, d, conf)
	}
	b := pipeline.Bench{Model: d.Model, Skills: d.Set, Inspect: injection.Orders, Settings: conf}
	if p.Corpus != pipeline.Never {
		b.Corpus = d.reads()
	}
	return p.Make(b)
}

func makeResearch(ctx context.Context, d *Desk, _ map[string]string) (pipeline.Instance, error) {
	var none research.Memory
	if d.forgets {
		none = NoMemory{}
	}
	p, err := d.Research(ctx, none)
	if err != nil {
		return pipeline.Instance{}, err
	}
	return p.Instance(), nil
}

func makeVerify(ctx context.Context, d *Desk, _ map[string]string) (pipeline.Instance, error) {
	p, err := d.Verify()
	if err != nil {
		return pipeline.Instance{}, err
	}
	return p.Instance(func(name, text string) ([]state.Passage, error) {
		var texts memory.Texts
		err := texts.AddText(context.WithoutCancel(ctx), name, text)
		return texts.Passages, err
	}, d.Corpus != nil), nil
}

func makeEdges(_ context.Context, d *Desk, _ map[string]string) (pipeline.Instance, error) {
	p, err := d.Edges()
	if err != nil {
		return pipeline.Instance{}, err
	}
	return p.Instance(), nil
}

func makeComply(_ context.Context, d *Desk, conf map[string]string) (pipeline.Instance, error) {
	p, err := d.Comply(conf[config.TracedReview] == "true")
	if err != nil {
		return pipeline.Instance{}, err
	}
	return p.Instance(), nil
}

// anySchema stands in for a schema while nobody has chosen one.
const anySchema = `{"type":"object","properties":{"field":{"type":"string"}}}`

// makeExtract makes the pipeline for a schema. Without a schema it can only be drawn.
func makeExtract(_ context.Context, d *Desk, conf map[string]string) (pipeline.Instance, error) {
	text := cmp.Or(conf[config.TracedSchema], anySchema)
	schema, err := extract.ParseSchema([]byte(text))
	if err != nil {
		return pipeline.Instance{}, fmt.Errorf("reading the schema: %w", err)
	}
	iterations, err := strconv.Atoi(cmp.Or(conf[config.TracedIterations], "0"))
	if err != nil || iterations < 0 {
		return pipeline.Instance{}, fmt.Errorf("%s is %q: it must be a whole number", config.TracedIterations, conf[config.TracedIterations])
	}
	p, err := d.Extract(schema, &extract.Options{MaxIterations: iterations, Review: conf[config.TracedOpinion] == "true"})
	if err != nil {
		return pipeline.Instance{}, err
	}
	made := p.Instance()
	if conf[config.TracedSchema] == "" {
		unknown := errors.New(`no schema says which fields to read: give a JSON Schema as the setting "schema", such as {"type": "object", "properties": {"total": {"type": "number"}}}, or open “Read fields” on the server's page (/ui/extract), which proposes the fields of a paper`)
		made.Check = func(conversation.Turn) error { return unknown }
		made.Answer = func(json.RawMessage, error, pipeline.Library) (pipeline.Answer, error) {
			return nil, errors.New("the trace does not have the schema of the fields")
		}
	}
	return made, nil
}

// Encoded encodes an update as the input of a run.
func Encoded[S any](in graph.Update[S]) (json.RawMessage, error) {
	data, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encoding the input: %w", err)
	}
	return data, nil
}

// Research makes the pipeline that answers questions. A memory that is not nil replaces the corpus's
// own.
func (d *Desk) Research(ctx context.Context, memory research.Memory) (*research.Pipeline, error) {
	opts, err := researchOptions(d.App, d.Settings)
	if err != nil {
		return nil, err
	}
	deps := research.Deps{Model: d.Model, Skills: d.Set, Corpus: d.reads(), Inspect: injection.Orders}
	switch {
	case d.bare:
		deps.Memory = NoMemory{}
		return research.New(deps, opts)
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

// researchOptions makes the pipeline's options from the settings.
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

// CheckSearchTool refuses the search tool for a model that calls no tools. With a cassette it accepts
// any model: the recording decides.
func CheckSearchTool(a *cli.App, s config.Settings) error {
	if !s.SearchTool || s.Replayed != "" || a.Models[writingModel(s)] == nil {
		return nil
	}
	return cli.Usagef("%s is set, but the model that writes the answer, %s, calls no tools: choose another with --model, or turn it off with --search-tool=false", config.KeySearchTool, writingModel(s))
}

// edgeTool makes the tool verify_edge for the model that writes answers. The model can cite the
// passages that the tool quotes.
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
	if d.Corpus != nil || d.bareReads {
		deps.Corpus = d.reads()
	}
	opts := d.Verification.Options()
	opts.WarnOfQuoted = modelOf(d.Settings, skills.JudgeClaim) == offline.Name
	return verify.New(deps, opts)
}

// Comply makes the pipeline that answers compliance questions.
func (d *Desk) Comply(modelReview bool) (*evidence.Pipeline, error) {
	return evidence.New(evidence.Deps{Model: d.Model, Skills: d.Set, Corpus: d.reads(), Inspect: injection.Orders}, &evidence.Options{ModelReview: modelReview})
}

// Edges makes the pipeline that verifies causal edges.
func (d *Desk) Edges() (*causal.Pipeline, error) {
	opts := d.Grounding.Options(d.Limits.Concurrency)
	if d.Threads != nil && !d.InSession {
		opts.Checkpointer = d.Threads
	}
	deps := causal.Deps{Model: d.Model, Skills: d.Set, Corpus: d.reads(), Inspect: injection.Orders}
	if d.Corpus != nil {
		deps.Embedder = d.Corpus
	}
	return causal.New(deps, opts)
}

// Extract makes the pipeline that reads the fields of a schema.
func (d *Desk) Extract(schema *extract.Schema, opts *extract.Options) (*extract.Pipeline, error) {
	return extract.New(extract.Deps{Model: d.Model, Skills: d.Set, Schema: schema}, opts)
}

// maxSchema bounds a schema, in bytes.
const maxSchema = 1 << 20

// Schema reads the JSON Schema in a file. It also returns the file's bytes.
func Schema(path string) (*extract.Schema, []byte, error) {
	data, err := plainfile.Read(path, maxSchema)
	if err != nil {
		return nil, nil, cli.Usagef("reading --schema: %w", err)
	}
	s, err := extract.ParseSchema(data)
	if err != nil {
		return nil, nil, cli.Usagef("%s: %w", path, err)
	}
	return s, data, nil
}

// NewBench makes a bench for cases of all pipelines, with the options of the settings.
func NewBench(a *cli.App, s config.Settings, deps eval.Deps) (*eval.Bench, error) {
	opts, err := researchOptions(a, s)
	if err != nil {
		return nil, err
	}
	b, err := eval.NewBench(deps, &eval.BenchOptions{Label: s.ModelLabel(), Research: *opts, Edges: *s.Grounding.Options(s.Limits.Concurrency), Verify: *s.Verification.Options()})
	if err != nil {
		return nil, err
	}
	for _, p := range Pipelines() {
		if p.Make != nil { // a bench has the others
			if err := eval.RegisterPipeline(b, p.Pipeline); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}
