package config

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
)

const (
	OfflineEmbedder = "lsa"
	NoReranker      = "none"
	JudgeReranker   = "judge"
	EnvRerankKey    = "RERANK_API_KEY"
)

// Lookup is what of a corpus is found how, beside the offline index.
type Lookup struct {
	Embedder  string     // offlineEmbedder, or a provider's as "openai:NAME"
	Dimension int        // of its vectors; 0 for its own
	Cache     int        // MiB that the vectors of all corpora may take
	Reranker  string     // noReranker, judgeReranker, or a server's address
	Model     string     // of that server
	Detector  Classifier // of orders in passages
}

// lookupTable lists its settings.
func lookupTable() []Setting {
	return []Setting{{
		key: "bm25_k1", flag: "bm25-k1", about: "How soon more of a word stops counting, above 0 and up to 10: the parameter k1 of BM25 that a corpus is ingested with.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.BM25.K1 = p.within(from, text, math.SmallestNonzeroFloat64, 10)
		},
		show: func(s *Settings) string { return strconv.FormatFloat(s.BM25.K1, 'g', -1, 64) },
	}, {
		key: "bm25_b", flag: "bm25-b", about: "How much a long passage is held against it, 0 to 1: the parameter b of BM25.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.BM25.B = p.within(from, text, 0, 1) },
		show: func(s *Settings) string { return strconv.FormatFloat(s.BM25.B, 'g', -1, 64) },
	}, {
		key: "embedder", about: "Whose vectors a corpus is ingested and searched with, beside the offline ones: lsa for none, or openai:NAME, gemini:NAME, ollama:NAME.", example: "openai:text-embedding-3-small",
		set: func(p *parser, s *Settings, from origin, text string) {
			if err := checkEmbedder(text); err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			}
			s.Lookup.Embedder = text
		},
		show: func(s *Settings) string { return s.Lookup.Embedder },
	}, {
		key: "embedder_dimension", about: "The length of its vectors; the model's own by default.", example: "512",
		set: func(p *parser, s *Settings, from origin, text string) { s.Lookup.Dimension = p.count(from, text, 1) },
		show: func(s *Settings) string {
			if s.Lookup.Dimension == 0 {
				return ""
			}
			return strconv.Itoa(s.Lookup.Dimension)
		},
	}, {
		key: "embedder_cache_mib", about: "How large the cache of its vectors may grow, in MiB; those used the longest ago are made again when they are needed.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Lookup.Cache = p.count(from, text, 1) },
		show: func(s *Settings) string { return strconv.Itoa(s.Lookup.Cache) },
	}, {
		key: "reranker", about: "What orders the passages that were found: none, judge for the model, or the address of a server with /rerank, whose key is " + EnvRerankKey + ".", example: "http://localhost:8080",
		set: func(p *parser, s *Settings, from origin, text string) {
			if text != NoReranker && text != JudgeReranker && !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
				p.fail(cli.Usagef("%s: reranker is %q: it must be none, judge, or an address that begins with http:// or https://", from, text))
			}
			s.Lookup.Reranker = text
		},
		show: func(s *Settings) string { return s.Lookup.Reranker },
	}, {
		key: "reranker_model", about: "The model that the server is asked for; some serve one and need no name.", example: "jina-reranker-v2-base-multilingual",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Lookup.Model = p.name(from, text) },
		show: func(s *Settings) string { return s.Lookup.Model },
	}, {
		key: keyDetector, about: "What looks for prompt injection in the passages that were found, beside the rules of this program: none, or the address of a small model that ends in /predict (Text Embeddings Inference) or /classify (vLLM, SGLang), whose key is " + EnvDetectorKey + ".", example: "http://localhost:8081/predict",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Lookup.Detector.setURL(p, from, text, noDetector)
		},
		show: func(s *Settings) string { return cmp.Or(s.Lookup.Detector.URL, noDetector) },
	}, {
		key: keyDetector + "_model", about: "The model that the server is asked for; a server of one model needs no name.", example: "protectai/deberta-v3-base-prompt-injection-v2",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Lookup.Detector.Model = p.modelName(from, text)
		},
		show: func(s *Settings) string { return s.Lookup.Detector.Model },
	}, {
		key: keyDetector + "_labels", about: "What the model's labels mean where their names do not tell: orders or harmless.", example: "LABEL_0=harmless, LABEL_1=orders",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Lookup.Detector.setLabels(p, from, text) },
		show: func(s *Settings) string { return s.Lookup.Detector.Labels },
	}}
}

// checkEmbedder reports whether the program knows an embedder's name.
func checkEmbedder(name string) error {
	p, model, ok := ProviderOf(name)
	switch {
	case name == OfflineEmbedder:
		return nil
	case !ok || p.Name == ProviderAnthropic:
		return fmt.Errorf("there is no embedder %q; known: %s, openai:NAME, gemini:NAME, ollama:NAME", name, OfflineEmbedder)
	case strings.TrimSpace(model) == "":
		return fmt.Errorf("the embedder's name is missing after the colon; write %s:NAME", p.Name)
	}
	return nil
}
