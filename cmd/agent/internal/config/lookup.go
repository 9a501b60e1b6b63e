package config

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/classify"
	"example.com/assay/memory"
	"example.com/assay/memory/index/weaviate"
)

const (
	OfflineEmbedder = "lsa"
	keyEncoder      = "encoder"
	BuiltinEncoder  = "builtin"
	NoEncoder       = "none"
	NoReranker      = "none"
	JudgeReranker   = "judge"
	EnvRerankKey    = "RERANK_API_KEY"
)

// Lookup is what takes part in a search together with the offline index.
type Lookup struct {
	Encoder   string     // BuiltinEncoder, NoEncoder, or a file of weights
	Embedder  string     // OfflineEmbedder, or a provider's, such as "openai:NAME", which replaces the encoder
	Dimension int        // length of its vectors; 0 for the model's own
	Cache     int        // MiB for the cached vectors of all corpora
	Reranker  string     // NoReranker, JudgeReranker, or a server's address
	Model     string     // of the reranker's server
	Detector  Classifier // of prompt injection in passages
}

// lookupTable lists the settings of a Lookup.
func lookupTable() []Setting {
	return []Setting{{
		key: "bm25_k1", flag: "bm25-k1", about: "The parameter k1 of BM25, above 0 and up to 10, for corpora that are ingested: how soon repetitions of a word stop counting.",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.BM25.K1 = p.within(from, text, math.SmallestNonzeroFloat64, 10)
		},
		show: func(s *Settings) string { return strconv.FormatFloat(s.BM25.K1, 'g', -1, 64) },
	}, {
		key: "bm25_b", flag: "bm25-b", about: "The parameter b of BM25, 0 to 1: how much a passage loses by its length.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.BM25.B = p.within(from, text, 0, 1) },
		show: func(s *Settings) string { return strconv.FormatFloat(s.BM25.B, 'g', -1, 64) },
	}, {
		key: keyEncoder, flag: keyEncoder, about: "The encoder, which finds passages by meaning: builtin (English), none, or a file of other weights, relative to this file. A corpus that was ingested with it is also found by meaning; what is found is chosen by meaning in every corpus.", example: "none",
		set: func(p *parser, s *Settings, from origin, text string) {
			if text != BuiltinEncoder && text != NoEncoder {
				text = from.path(p.text(from, text, "a file of weights"))
			}
			s.Lookup.Encoder = text
		},
		show: func(s *Settings) string { return s.Lookup.Encoder },
	}, {
		key: "embedder", about: "A remote embedder whose vectors a corpus has in place of the encoder's: openai:NAME, gemini:NAME or ollama:NAME; lsa for none.", example: "openai:text-embedding-3-small",
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
		key: "embedder_cache_mib", about: "The largest size of the cache of its vectors, in MiB; the least recently used vectors are dropped first.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Lookup.Cache = p.count(from, text, 1) },
		show: func(s *Settings) string { return strconv.Itoa(s.Lookup.Cache) },
	}, {
		key: "reranker", about: "What reorders the passages of a search: none, judge for the model, or the address of a server with /rerank; the variable of its key is " + EnvRerankKey + ".", example: "http://localhost:8080",
		set: func(p *parser, s *Settings, from origin, text string) {
			if text != NoReranker && text != JudgeReranker && !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
				p.fail(cli.Usagef("%s: reranker is %q: it must be none, judge, or an address that begins with http:// or https://", from, text))
			}
			s.Lookup.Reranker = text
		},
		show: func(s *Settings) string { return s.Lookup.Reranker },
	}, {
		key: "reranker_model", about: "The server's model; a server with one model needs no name.", example: "jina-reranker-v2-base-multilingual",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Lookup.Model = p.name(from, text) },
		show: func(s *Settings) string { return s.Lookup.Model },
	}, {
		key: keyDetector, about: "What looks for prompt injection in passages, in addition to this program's rules: none, or the address of a small model. The address ends in /predict (Text Embeddings Inference) or /classify (vLLM, SGLang); the variable of its key is " + EnvDetectorKey + ".", example: "http://localhost:8081/predict",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Lookup.Detector.setURL(p, from, text, noDetector)
		},
		show: func(s *Settings) string { return cmp.Or(s.Lookup.Detector.URL, noDetector) },
	}, {
		key: keyDetector + "_model", about: "The server's model; a server with one model needs no name.", example: "protectai/deberta-v3-base-prompt-injection-v2",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Lookup.Detector.Model = p.modelName(from, text)
		},
		show: func(s *Settings) string { return s.Lookup.Detector.Model },
	}, {
		key: keyDetector + "_labels", about: "What the model's labels mean when their names do not say it: orders or harmless.", example: "LABEL_0=harmless, LABEL_1=orders",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Lookup.Detector.setLabels(p, from, text) },
		show: func(s *Settings) string { return s.Lookup.Detector.Labels.String() },
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

const (
	modelJudge = "model" // claims are judged by the model of judge_claim
	noDetector = "none"

	EnvJudgeKey    = "JUDGE_API_KEY"
	EnvDetectorKey = "INJECTION_DETECTOR_API_KEY"

	KeyJudge            = "verification.judge"
	keyDetector         = "injection_detector"
	KeyJudgeCalibration = KeyJudge + "_calibration"
)

// A Classifier is a small model that a server at an address runs.
type Classifier struct {
	Task        classify.Task
	Key         string                // the configuration's key for its address
	URL         string                // empty for none
	Model       string                // its name; empty when its server has only one
	Labels      classify.Labels       // what its labels mean; nil when their names say it
	Calibration *classify.Calibration // of a judge; nil for none
}

// Variable names the variable that holds its server's key.
func (c Classifier) Variable() string {
	if c.Task == classify.Injection {
		return EnvDetectorKey
	}
	return EnvJudgeKey
}

// Label names the classifier without its address; "" when there is none. A server whose
// model the settings do not name is labelled by the end of its address.
func (c Classifier) Label() string {
	if c.URL == "" {
		return ""
	}
	path := strings.TrimRight(c.URL, "/")
	return cmp.Or(c.Model, "a server of "+path[strings.LastIndex(path, "/"):])
}

// setURL takes an address, or the word none for no server.
func (c *Classifier) setURL(p *parser, from origin, text, none string) {
	c.URL = ""
	if text == none {
		return
	}
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		p.fail(cli.Usagef("%s: %s is %q: it must be %s, or an address that begins with http:// or https://", from, c.Key, text, none))
	}
	c.URL = text
}

func (c *Classifier) setLabels(p *parser, from origin, text string) {
	labels, err := classify.ParseLabels(c.Task, text)
	if err != nil {
		p.fail(cli.Usagef("%s: %w", from, err))
	}
	c.Labels = labels
}

// modelName checks a model's name on its server, such as "org/model".
func (p *parser) modelName(from origin, v string) string {
	if strings.TrimSpace(v) == "" || strings.ContainsAny(v, " ,\t\r\n") {
		p.fail(cli.Usagef("%s is %q: it must be the name of a model, without spaces and commas", from, v))
	}
	return v
}

// judgeTable lists the settings of the server that judges claims.
func judgeTable() []Setting {
	return []Setting{{
		key: KeyJudge, about: "What judges claims: model, or the address of a small model. The address ends in /predict (Text Embeddings Inference), /classify (vLLM, SGLang) or /v1 (MiniCheck on Ollama); the variable of its key is " + EnvJudgeKey + ". When it fails, the model judges.", example: "http://localhost:8080/predict",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.Judge.setURL(p, from, text, modelJudge)
		},
		show: func(s *Settings) string { return cmp.Or(s.Verification.Judge.URL, modelJudge) },
	}, {
		key: KeyJudge + "_model", about: "The server's model; /v1 needs it, a server with one model does not.", example: "bespoke-minicheck",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.Judge.Model = p.modelName(from, text)
		},
		show: func(s *Settings) string { return s.Verification.Judge.Model },
	}, {
		key: KeyJudge + "_labels", about: "What the model's labels mean when their names do not say it: supported, contradicted or unsupported.", example: "LABEL_0=unsupported, LABEL_1=supported",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Verification.Judge.setLabels(p, from, text) },
		show: func(s *Settings) string { return s.Verification.Judge.Labels.String() },
	}, {
		key: KeyJudgeCalibration, about: "Calibrates its probabilities for your own data: slope and offset, which agent eval claims --judge configured prints.", example: "0.8 -0.3",
		set: func(p *parser, s *Settings, from origin, text string) {
			calibration, err := classify.ParseCalibration(text)
			if err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			}
			s.Verification.Judge.Calibration = calibration
		},
		show: func(s *Settings) string { return s.Verification.Judge.Calibration.String() },
	}}
}

// EnvIndexKey holds the key of the server of an index.
const EnvIndexKey = "WEAVIATE_API_KEY"

// IndexExample is the address of an index on three nodes.
const IndexExample = "weaviate://db1:8080,db2:8080,db3:8080?shards=3&replicas=2"

func indexSetting() Setting {
	return Setting{
		key: "index", variable: "ASSAY_INDEX", flag: "index", example: IndexExample,
		about: "Where an ingest puts the index of a corpus: files, or " + weaviate.Form + ", whose key is in " + EnvIndexKey + "; by default where the corpus has it, and files for a new one. Other verbs find it by the corpus.",
		set: func(p *parser, s *Settings, from origin, text string) {
			if text != "" && text != memory.InFiles {
				if _, err := weaviate.New(text, ""); err != nil {
					p.fail(cli.Usagef("%s: %w; or write %s", from, err, memory.InFiles))
				}
			}
			s.Index = text
		},
		show: func(s *Settings) string { return s.Index },
	}
}

// Servers connects to the servers of indexes, with the key from the environment.
func Servers(env cli.Environment) memory.Servers {
	return func(address string) (memory.Server, error) {
		return weaviate.New(address, env.Get(EnvIndexKey))
	}
}
