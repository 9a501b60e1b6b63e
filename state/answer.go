package state

import (
	"fmt"
	"unicode"
)

// AnswerSchema is the version of Answer's JSON.
const AnswerSchema = 1

// Answer is the result of a pipeline's run, as `--json` prints it.
type Answer struct {
	Schema   int    `json:"schema"`
	RunID    string `json:"run_id"`
	Pipeline string `json:"pipeline"`
	End
	Question     string       `json:"question"`               // as it was typed
	Resolved     string       `json:"resolved,omitempty"`     // the question as searched, if it depended on the one before
	Respelt      []Respelling `json:"searched_for,omitempty"` // words of the question that were searched for as others, or as others too
	Answer       string       `json:"answer"`                 // markdown
	Choice       string       `json:"choice"`                 // the letter chosen; empty without choices and for an abstention
	Quotes       []ShownQuote `json:"quotes,omitempty"`       // in the order of the answer
	Sources      []Source     `json:"sources"`
	Nearest      *Nearest     `json:"nearest,omitempty"` // of no_evidence, where a passage was found
	Confidence   float64      `json:"confidence"`        // Relevance.Confidence, where there is one
	Relevance    *Relevance   `json:"relevance,omitempty"`
	Verification Verification `json:"verification"`
	Metrics      RunMetrics   `json:"metrics"`
	Model        string       `json:"model"`
	Corpus       string       `json:"corpus"`
	Trace        string       `json:"trace"`              // the trace's file; empty without one
	Warnings     []string     `json:"warnings,omitempty"` // problems that do not affect the answer, e.g. in memory
}

// A Signature says which run an answer is of.
type Signature struct {
	RunID       string
	Model       string
	Corpus      string            // empty without one
	Fingerprint string            // of the corpus's content
	Trace       string            // the file of the run's trace; empty without one
	Skills      map[string]string // hashes of the prompts, by name
}

// Common returns the part that answers of all pipelines share.
func (a *Answer) Common() *Answer { return a }

// Sign adds the data of its run to an answer.
func (a *Answer) Sign(s Signature) {
	a.RunID, a.Model, a.Corpus, a.Trace = s.RunID, s.Model, s.Corpus, s.Trace
	if s.Corpus != "" {
		a.In(s.Corpus)
	}
}

// FailedAnswer returns the answer of a run that did not begin.
func FailedAnswer(pipeline, question string, end End) Answer {
	return Answer{
		Schema: AnswerSchema, Pipeline: pipeline, End: end, Question: question, Sources: []Source{},
		Metrics: RunMetrics{NodeMS: map[string]float64{}, NodeUsage: map[string]ModelUsage{}},
	}
}

// Nearest is the passage that comes nearest to a question that was not answered.
type Nearest struct {
	Where    string `json:"where"` // title, section, page and line, for a reader
	Doc      string `json:"doc"`
	Path     string `json:"path"`               // see Source
	Original string `json:"original,omitempty"` // see Source
	Start    int    `json:"start"`              // bytes
	End      int    `json:"end"`                // bytes, exclusive
	Line     string `json:"line"`               // its nearest text, in one line
	Why      string `json:"why"`                // why it does not answer, as far as words and form show it
}

// Words describes it for a person: why the documents do not answer, and their nearest text.
func (n *Nearest) Words() string {
	if n == nil {
		return ""
	}
	why := []rune(n.Why)
	if len(why) > 0 {
		why[0] = unicode.ToUpper(why[0])
	}
	return string(why) + ". Nearest: " + n.Where + ": “" + n.Line + "”"
}

// A ShownQuote is a quotation of the answer.
type ShownQuote struct {
	Text   string `json:"text"`           // the source's bytes
	Shown  string `json:"shown"`          // with the headword above it
	Head   string `json:"head,omitempty"` // the headword
	Source int    `json:"source"`         // N of the source
}

// Relevance estimates how well the passages answer the question. It does not cover whether the
// sentences are the sources' own: that is Verification.
type Relevance struct {
	Confidence float64 `json:"confidence"` // how often an answer like this one had the requested fact, where it was measured
	Retrieved  float64 `json:"retrieved"`  // how surely the passages are about the question: mean of the completed steps
	Match      float64 `json:"match"`      // how well the best sentence of the passages fits the question; mean, 0 to about 15
	Lead       float64 `json:"lead"`       // by how much it fits better than the ten sentences next to it; mean
	Absent     float64 `json:"absent"`     // share of the question's words that no passage has; mean
	Parts      int     `json:"parts"`      // that the question asks for; 0 if they cannot be separated
	Found      int     `json:"found"`      // of them, those that a cited passage or the answer has
}

// Words explains the confidence to a person. It was measured with the offline model.
func (r *Relevance) Words(offline bool) string {
	measured := "in a test with other documents"
	if !offline {
		measured += ", with the offline model"
	}
	return fmt.Sprintf("%.2f: about %d in 10 answers like this one held what was asked (%s)", r.Confidence, int(r.Confidence*10+.5), measured)
}

// Source is a cited passage: the bytes Start..End of the file at Path are
// exactly Text.
type Source struct {
	N        int         `json:"n"`
	Query    int         `json:"query"`           // X of the answer's "[Query X][Source N]"
	Source   int         `json:"source"`          // its N
	Label    string      `json:"label,omitempty"` // of verified responses: how they cite it
	Doc      string      `json:"doc"`
	Title    string      `json:"title"`
	Where    string      `json:"where"`              // title, section, page and line, for a reader
	Path     string      `json:"path"`               // absolute; for extracted formats the text in the corpus
	Original string      `json:"original,omitempty"` // the file that text was extracted from
	Section  string      `json:"section"`
	Page     int         `json:"page,omitempty"`
	Element  string      `json:"element,omitempty"`
	Line     int         `json:"line,omitempty"`
	Start    int         `json:"start"` // bytes
	End      int         `json:"end"`   // bytes, exclusive
	Text     string      `json:"text"`
	Quotes   []QuoteSpan `json:"quotes"`          // the answer's quotes from it
	Stale    string      `json:"stale,omitempty"` // why Path no longer contains Text; empty if it does
}

// QuoteSpan is a quote of an answer, as a span of its source's file.
type QuoteSpan struct {
	Start int    `json:"start"` // bytes
	End   int    `json:"end"`   // bytes, exclusive
	Text  string `json:"text"`
}

// Verification lists the checks: of the answer's quotes, byte for byte against the present files,
// and of its claims against the evidence.
type Verification struct {
	QuotesChecked int `json:"quotes_checked"`
	QuotesExact   int `json:"quotes_exact"`
	ClaimsQuoted  int `json:"claims_quoted,omitempty"` // supported claims that are a source's own words
	// Choice is the check of the reasons for and against the options; nil without options, or if
	// they were not checked.
	Choice      *ClaimCheck `json:"choice,omitempty"`
	*ClaimCheck             // nil when claims were not checked
}

// ClaimCheck is the result of verifying a response's claims.
type ClaimCheck struct {
	Confidence      float64        `json:"confidence"`  // 0..1, see package verify
	Level           string         `json:"level"`       // high, medium, low or very_low; unchecked without a claim
	IsGrounded      bool           `json:"is_grounded"` // every claim is supported, and there is one
	ClaimsChecked   int            `json:"claims_checked"`
	ClaimsSupported int            `json:"claims_supported"`
	ClaimsInDoubt   int            `json:"claims_in_doubt,omitempty"`            // of those that are supported
	ClaimsPartial   int            `json:"claims_partially_supported,omitempty"` // the others, without those that were not judged, are unsupported
	ClaimsUnjudged  int            `json:"claims_not_judged,omitempty"`
	CRAGAttempts    int            `json:"crag_attempts"`        // corrections that were judged
	Rewritten       int            `json:"rewritten,omitempty"`  // claims that a correction wrote in place of the pipeline's own
	Corrected       bool           `json:"corrected,omitempty"`  // there is a correction whose every claim is supported
	Unverified      string         `json:"unverified,omitempty"` // why claims could not be judged
	Claims          []CheckedClaim `json:"claims,omitempty"`     // in order, on request
	Corrections     []string       `json:"suggested_corrections,omitempty"`
}

// CheckedClaim is a claim with its verdict and evidence.
type CheckedClaim struct {
	Claim      string      `json:"claim"`
	Status     ClaimStatus `json:"status"`
	Confidence float64     `json:"confidence"`
	Evidence   []Quote     `json:"evidence"` // exact bytes of sources, the best first
	Against    []Quote     `json:"against,omitempty"`
	Conflicts  []Conflict  `json:"conflicts,omitempty"`
	Doubts     []Doubt     `json:"doubts,omitempty"` // parts not confirmed; a claim with one is never of level high
	Cites      []string    `json:"cites,omitempty"`
	Miscited   bool        `json:"miscited,omitempty"`
	Reasoning  string      `json:"reasoning"`
	Error      string      `json:"error,omitempty"`
	Span       ByteSpan    `json:"span"` // of the response
}

// ByteSpan is a range of bytes.
type ByteSpan struct {
	Start int `json:"start"`
	End   int `json:"end"` // exclusive
}

// RunMetrics are a run's metrics with those that only a trace has, by node. A node inside another
// is "execute/rewrite".
type RunMetrics struct {
	Metrics
	NodeMS map[string]float64 `json:"node_ms"` // milliseconds; "execute" holds those of its nodes
	// NodeUsage has the model calls of each node, including those of failed nodes and of retried
	// attempts, which no sum of the state has. Citations without a source count as parse failures
	// only in the sum.
	NodeUsage map[string]ModelUsage `json:"node_usage"`
	ElapsedMS float64               `json:"elapsed_ms"`
}
