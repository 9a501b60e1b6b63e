package open

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/decide/injection"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/rerank"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/encode"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// A Finder holds what a search uses in addition to the index.
type Finder struct {
	Space    *embed.Space  // nil to search by words alone
	reader   memory.Reader // nil for none
	cache    *embed.Cache
	reranker memory.Reranker
	detector memory.Detector // nil for none
}

// Options returns the options that open a corpus for such searches.
func (f *Finder) Options() *memory.OpenOptions {
	o := &memory.OpenOptions{Space: f.Space, Reranker: f.reranker, Detector: f.detector, Inspect: injection.Orders}
	if f.encodes() {
		o.Meaning, o.Reader = f.Space, f.reader
	}
	return o
}

// encodes reports whether the encoder makes the vectors, which costs no money.
func (f *Finder) encodes() bool { return f.Space != nil && encode.IsID(f.Space.ID()) }

// Close closes the cache of vectors.
func (f *Finder) Close() error {
	if f == nil || f.cache == nil {
		return nil
	}
	return f.cache.Close()
}

// NewEmbedder opens the encoder or the embedder that the settings name. The limits of models bound
// the calls of an embedder. The caller closes the result.
func NewEmbedder(ctx context.Context, a *cli.App, s config.Settings, x *Exchange) (*Finder, error) {
	f := &Finder{}
	remote := s.Lookup.Embedder != config.OfflineEmbedder && s.Lookup.Embedder != ""
	var e embed.Embedder
	var err error
	opts := &embed.Options{Concurrency: 1} // the encoder uses all processors by itself
	if remote {
		if e, err = NewConnector(a.Env, s).embedder(ctx, s.Lookup); err != nil {
			return nil, fmt.Errorf("opening embedder %s: %w", s.Lookup.Embedder, err)
		}
		// The controls alone limit concurrent calls.
		priced := func(m llm.Model) llm.Model { return x.Controls.WrapNamed(s.Lookup.Embedder, m) }
		e = controlled(e, llm.NewCaller("embed", priced))
		opts.Concurrency = max(1, s.Limits.Concurrency)
	} else {
		m, err := Encoder(s)
		if m == nil || err != nil {
			return f, err
		}
		e, opts.EightBits = m, true
		if m.Question != m.Passage {
			e = encode.Asymmetric{Model: m}
		}
		if m.Decides(encode.Answers) {
			f.reader = m
		}
	}
	if f.cache, err = x.Store.Vectors(ctx, &embed.CacheOptions{MaxBytes: int64(s.Lookup.Cache) << 20}); err != nil {
		err = fmt.Errorf("opening the cache of vectors: %w", err)
		if remote || ctx.Err() != nil {
			return nil, err
		}
		a.Warn("%s; the encoder reads everything anew", err) // that takes time, but costs nothing
	}
	opts.Cache = f.cache
	if f.Space, err = embed.New(e, opts); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Encoder opens the encoder of the settings, nil for none.
func Encoder(s config.Settings) (*encode.Model, error) {
	switch s.Lookup.Encoder {
	case "", config.NoEncoder:
		return nil, nil
	case config.BuiltinEncoder:
		return encode.Builtin()
	}
	m, err := encode.Open(s.Lookup.Encoder)
	if err != nil {
		return nil, cli.Usagef("%w; the key encoder and --encoder take builtin, none, or a file that train/convert.py wrote", err)
	}
	return m, nil
}

// NewFinder opens the embedder and the reranker that the settings name.
func NewFinder(ctx context.Context, a *cli.App, s config.Settings, set *skills.Set, x *Exchange) (*Finder, error) {
	f, err := NewEmbedder(ctx, a, s, x)
	if err != nil {
		return nil, err
	}
	if s.Lookup.Detector.URL != "" {
		model, err := x.Model(ctx, s)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.detector = detector{model, s.Lookup.Detector.Label()}
	}
	switch s.Lookup.Reranker {
	case config.NoReranker, "":
		return f, nil
	case config.JudgeReranker:
		model, err := x.Model(ctx, s)
		if err == nil {
			f.reranker, err = rerank.NewJudge(model, set, s.ModelLabel())
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	}
	client, err := rerank.NewClient(&rerank.Options{BaseURL: s.Lookup.Reranker, Model: s.Lookup.Model, Key: a.Env.Get(config.EnvRerankKey), Timeout: s.Limits.Timeout})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.reranker = reranked{client, llm.NewCaller("rerank", x.Controls.WrapUnpriced)}
	return f, nil
}

// controlled bounds an embedder's calls by the limits of models.
func controlled(e embed.Embedder, caller *llm.Caller) embed.Embedder {
	one := embedder{e, caller}
	if q, ok := e.(embed.QueryEmbedder); ok {
		return queryEmbedder{one, q}
	}
	return one
}

type embedder struct {
	embed.Embedder
	caller *llm.Caller
}

func (e embedder) Embed(ctx context.Context, texts []string) (out [][]float32, err error) {
	err = e.caller.Do(ctx, func(ctx context.Context) (_ llm.Usage, err error) {
		out, err = e.Embedder.Embed(ctx, texts)
		return llm.Usage{}, err
	})
	return out, err
}

type queryEmbedder struct {
	embedder
	query embed.QueryEmbedder
}

func (e queryEmbedder) EmbedQuery(ctx context.Context, text string) (out []float32, err error) {
	err = e.caller.Do(ctx, func(ctx context.Context) (_ llm.Usage, err error) {
		out, err = e.query.EmbedQuery(ctx, text)
		return llm.Usage{}, err
	})
	return out, err
}

// A detector is a classifier as a memory.Detector.
type detector struct {
	model llm.Model
	name  string
}

func (d detector) ID() string { return d.name }

func (d detector) Detect(ctx context.Context, texts []string) ([][]text.Span, error) {
	return classify.DetectBy(ctx, d.model, texts)
}

// reranked bounds a reranker's calls by the limits of models.
type reranked struct {
	memory.Reranker
	caller *llm.Caller
}

func (r reranked) Rerank(ctx context.Context, query string, texts []string) (out []float64, err error) {
	err = r.caller.Do(ctx, func(ctx context.Context) (_ llm.Usage, err error) {
		out, err = r.Reranker.Rerank(ctx, query, texts)
		return llm.Usage{}, err
	})
	return out, err
}
