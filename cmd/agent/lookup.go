package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/openai"
	"example.com/assay/llm/rerank"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

const (
	offlineEmbedder = "lsa"
	noReranker      = "none"
	judgeReranker   = "judge"

	envRerankKey = "RERANK_API_KEY"
)

// lookup is what of a corpus is found how, beside the offline index.
type lookup struct {
	embedder  string     // offlineEmbedder, or a provider's as "openai:NAME"
	dimension int        // of its vectors; 0 for its own
	cache     int        // MiB that the vectors of all corpora may take
	reranker  string     // noReranker, judgeReranker, or a server's address
	model     string     // of that server
	detector  classifier // of orders in passages
}

// lookupTable lists its settings.
func lookupTable() []setting {
	return []setting{{
		key: "bm25_k1", flag: "bm25-k1", about: "How soon more of a word stops counting, above 0 and up to 10: the parameter k1 of BM25 that a corpus is ingested with.",
		set: func(p *parser, s *settings, from origin, text string) {
			s.bm25.K1 = p.within(from, text, math.SmallestNonzeroFloat64, 10)
		},
		show: func(s *settings) string { return strconv.FormatFloat(s.bm25.K1, 'g', -1, 64) },
	}, {
		key: "bm25_b", flag: "bm25-b", about: "How much a long passage is held against it, 0 to 1: the parameter b of BM25.",
		set:  func(p *parser, s *settings, from origin, text string) { s.bm25.B = p.within(from, text, 0, 1) },
		show: func(s *settings) string { return strconv.FormatFloat(s.bm25.B, 'g', -1, 64) },
	}, {
		key: "embedder", about: "Whose vectors a corpus is ingested and searched with, beside the offline ones: lsa for none, or openai:NAME, gemini:NAME, ollama:NAME.", example: "openai:text-embedding-3-small",
		set: func(p *parser, s *settings, from origin, text string) {
			if err := checkEmbedder(text); err != nil {
				p.fail(usagef("%s: %w", from, err))
			}
			s.lookup.embedder = text
		},
		show: func(s *settings) string { return s.lookup.embedder },
	}, {
		key: "embedder_dimension", about: "The length of its vectors; the model's own by default.", example: "512",
		set: func(p *parser, s *settings, from origin, text string) { s.lookup.dimension = p.count(from, text, 1) },
		show: func(s *settings) string {
			if s.lookup.dimension == 0 {
				return ""
			}
			return strconv.Itoa(s.lookup.dimension)
		},
	}, {
		key: "embedder_cache_mib", about: "How large the cache of its vectors may grow, in MiB; those used the longest ago are made again when they are needed.",
		set:  func(p *parser, s *settings, from origin, text string) { s.lookup.cache = p.count(from, text, 1) },
		show: func(s *settings) string { return strconv.Itoa(s.lookup.cache) },
	}, {
		key: "reranker", about: "What orders the passages that were found: none, judge for the model, or the address of a server with /rerank, whose key is " + envRerankKey + ".", example: "http://localhost:8080",
		set: func(p *parser, s *settings, from origin, text string) {
			if text != noReranker && text != judgeReranker && !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
				p.fail(usagef("%s: reranker is %q: it must be none, judge, or an address that begins with http:// or https://", from, text))
			}
			s.lookup.reranker = text
		},
		show: func(s *settings) string { return s.lookup.reranker },
	}, {
		key: "reranker_model", about: "The model that the server is asked for; some serve one and need no name.", example: "jina-reranker-v2-base-multilingual",
		set:  func(p *parser, s *settings, from origin, text string) { s.lookup.model = p.name(from, text) },
		show: func(s *settings) string { return s.lookup.model },
	}, {
		key: keyDetector, about: "What looks for prompt injection in the passages that were found, beside the rules of this program: none, or the address of a small model that ends in /predict (Text Embeddings Inference) or /classify (vLLM, SGLang), whose key is " + envDetectorKey + ".", example: "http://localhost:8081/predict",
		set: func(p *parser, s *settings, from origin, text string) {
			s.lookup.detector.setURL(p, from, text, noDetector)
		},
		show: func(s *settings) string { return cmp.Or(s.lookup.detector.url, noDetector) },
	}, {
		key: keyDetector + "_model", about: "The model that the server is asked for; a server of one model needs no name.", example: "protectai/deberta-v3-base-prompt-injection-v2",
		set: func(p *parser, s *settings, from origin, text string) {
			s.lookup.detector.model = p.modelName(from, text)
		},
		show: func(s *settings) string { return s.lookup.detector.model },
	}, {
		key: keyDetector + "_labels", about: "What the model's labels mean where their names do not tell: orders or harmless.", example: "LABEL_0=harmless, LABEL_1=orders",
		set:  func(p *parser, s *settings, from origin, text string) { s.lookup.detector.setLabels(p, from, text) },
		show: func(s *settings) string { return s.lookup.detector.labels },
	}}
}

// checkEmbedder reports whether the program knows an embedder's name.
func checkEmbedder(name string) error {
	p, model, ok := providerOf(name)
	switch {
	case name == offlineEmbedder:
		return nil
	case !ok || p.name == providerAnthropic:
		return fmt.Errorf("there is no embedder %q; known: %s, openai:NAME, gemini:NAME, ollama:NAME", name, offlineEmbedder)
	case strings.TrimSpace(model) == "":
		return fmt.Errorf("the embedder's name is missing after the colon; write %s:NAME", p.name)
	}
	return nil
}

// A finder is what a corpus is searched with, beside its index.
type finder struct {
	space    *embed.Space // nil for the offline embedder alone
	cache    *embed.Cache
	reranker memory.Reranker
	detector memory.Detector // nil for none
}

func (f *finder) options() *memory.OpenOptions {
	return &memory.OpenOptions{Space: f.space, Reranker: f.reranker, Detector: f.detector}
}

func (f *finder) close() error {
	if f == nil || f.cache == nil {
		return nil
	}
	return f.cache.Close()
}

// openEmbedder opens the embedder that the settings name. Its calls are under
// the limits of models. Its close is the caller's.
func (a *app) openEmbedder(ctx context.Context, s settings, controls *llm.Controls) (*finder, error) {
	f := &finder{}
	if s.lookup.embedder == offlineEmbedder || s.lookup.embedder == "" {
		return f, nil
	}
	e, err := newConnector(a.env, s).embedder(ctx, s.lookup)
	if err != nil {
		return nil, fmt.Errorf("opening embedder %s: %w", s.lookup.embedder, err)
	}
	if f.cache, err = embed.OpenCache(memory.VectorsPath(s.home), &embed.CacheOptions{MaxBytes: int64(s.lookup.cache) << 20}); err != nil {
		return nil, fmt.Errorf("opening the cache of vectors: %w", err)
	}
	// The one limit of calls at once is that of the controls.
	priced := func(m llm.Model) llm.Model { return controls.WrapNamed(s.lookup.embedder, m) }
	f.space, err = embed.New(controlled(e, llm.NewCaller("embed", priced)), &embed.Options{Cache: f.cache, Concurrency: max(1, s.limits.Concurrency)})
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openFinder opens the embedder and the reranker that the settings name.
func (a *app) openFinder(ctx context.Context, s settings, set *skills.Set, x *exchange) (*finder, error) {
	f, err := a.openEmbedder(ctx, s, x.controls)
	if err != nil {
		return nil, err
	}
	if s.lookup.detector.url != "" {
		model, err := x.model(ctx, s)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.detector = detector{model, s.lookup.detector.label()}
	}
	switch s.lookup.reranker {
	case noReranker, "":
		return f, nil
	case judgeReranker:
		model, err := x.model(ctx, s)
		if err == nil {
			f.reranker, err = rerank.NewJudge(model, set, s.modelLabel())
		}
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		return f, nil
	}
	client, err := rerank.NewClient(&rerank.Options{BaseURL: s.lookup.reranker, Model: s.lookup.model, Key: a.env.get(envRerankKey), Timeout: s.limits.Timeout})
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	f.reranker = reranked{client, llm.NewCaller("rerank", x.controls.WrapUnpriced)}
	return f, nil
}

// embedder connects to the embedder of a checked name. It makes no call.
func (c *connector) embedder(ctx context.Context, r lookup) (embed.Embedder, error) {
	p, model, _ := providerOf(r.embedder)
	if p.name == gemini.Provider {
		server, err := c.geminiServer(ctx, p)
		if err != nil {
			return nil, err
		}
		return gemini.NewEmbedder(ctx, model, &gemini.EmbedderOptions{Server: server, Dimension: r.dimension})
	}
	server, err := c.openAIServer(p)
	if err != nil {
		return nil, err
	}
	return server.Embedder(model, &openai.EmbedderOptions{Dimension: r.dimension})
}

// controlled puts an embedder's calls under the limits of models.
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

// detector asks the model that answers for a detector of orders.
type detector struct {
	model llm.Model
	name  string
}

func (d detector) ID() string { return d.name }

func (d detector) Detect(ctx context.Context, texts []string) ([][]text.Span, error) {
	return classify.DetectBy(ctx, d.model, texts)
}

// reranked puts a reranker's calls under the limits of models.
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
