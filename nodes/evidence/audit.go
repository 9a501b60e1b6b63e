package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"

	"example.com/assay/decide/obligation"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// Results of an audit.
const (
	ResultAnswered   = "ANSWERED"
	ResultNoEvidence = "NO_AUTHORITATIVE_EVIDENCE"
	ResultUnknown    = "UNKNOWN" // the run did not finish, or could not search
)

// An Audit is the result of a run, as `agent comply --json` prints it: a state.Answer with
// everything needed to check it again.
type Audit struct {
	state.Answer
	Result     string                `json:"result"`
	Message    string                `json:"message,omitempty"`
	Missing    []string              `json:"missing_evidence"`
	Filter     Filter                `json:"filter"`
	Final      string                `json:"final_answer"`
	Statements []AuditStatement      `json:"statements"`
	References []Reference           `json:"requirement_references"`
	Unused     []string              `json:"unused_requirements"`
	Grounding  GroundingConfidence   `json:"grounding_confidence"`
	Statutes   string                `json:"statute_summary"`
	Policies   string                `json:"policy_summary"`
	Extracted  []Requirement         `json:"extracted_requirements"`
	Verified   []VerifiedRequirement `json:"verified_requirements"`
	Rejected   []VerifiedRequirement `json:"rejected_requirements"` // the nearest first
	Conflicts  []Conflict            `json:"conflicts"`
	Findings   []Finding             `json:"findings"`
	Documents  []AuditDocument       `json:"documents"`
	Trail      Trail                 `json:"evidence_audit_trail"`
	Skills     map[string]string     `json:"skills"` // hash by name
	// ModelReview says that a model also reviewed the statements that passed the review by code.
	ModelReview bool `json:"model_review"`
	// Fingerprint is the fingerprint of the corpus's content.
	Fingerprint string `json:"corpus_fingerprint"`
}

// A VerifiedRequirement is a requirement's verdict, with its quote for a reader.
type VerifiedRequirement struct {
	Verdict
	Quote    string `json:"exact_quote"`
	Document string `json:"document_id"`
	Heading  string `json:"section_heading"`
	// Label, Degree and Relevance come from the requirement.
	Label     string            `json:"label,omitempty"`
	Degree    obligation.Degree `json:"degree"`
	Relevance float64           `json:"relevance"`
}

// An AuditStatement is a statement with its evidence.
type AuditStatement struct {
	Statement
	Lineage []Lineage `json:"lineage"` // one for each id
}

// Lineage leads from a statement to the bytes of a document.
type Lineage struct {
	Requirement string `json:"requirement_id"`
	Chunk       string `json:"chunk_id"`
	Document    string `json:"document_id"`
	Path        string `json:"path"`
	Original    string `json:"original,omitempty"` // the file that Path was extracted from
	Start       int    `json:"start"`              // bytes
	End         int    `json:"end"`                // bytes, exclusive
	Hash        string `json:"document_sha256"`
}

// An AuditDocument is a file that requirements are quoted from.
type AuditDocument struct {
	Source   string `json:"source"` // the text's name within the corpus
	Path     string `json:"path"`
	Original string `json:"original,omitempty"` // the file that the text was extracted from
	Hash     string `json:"sha256"`             // of the file at Path, in hexadecimal; empty when it could not be read
	Fault    string `json:"fault,omitempty"`
}

// Trail counts what happened.
type Trail struct {
	Retrieved  int                 `json:"total_chunks_retrieved"`
	Extracted  int                 `json:"total_requirements_extracted"`
	Verified   int                 `json:"total_requirements_verified"`
	PassRate   float64             `json:"verification_pass_rate"` // verified of extracted; 0 without any
	Confidence GroundingConfidence `json:"composition_confidence"` // as composed
	Revisions  int                 `json:"revisions"`
}

// Result turns a finished run into its audit. It reads every cited document again and
// records its current hash.
func Result(final State, runErr error, files verify.Locator) Audit {
	a := Audit{
		Answer: state.Answer{
			Schema: state.AnswerSchema, Pipeline: "comply", End: End(final, runErr), Question: final.Question, Answer: final.Answer,
			Sources: []state.Source{}, Confidence: final.SearchConfidence, Warnings: final.Warnings,
			Metrics: state.RunMetrics{Metrics: state.Metrics{ModelUsage: final.Usage, HasAnswer: final.Answer != ""}, NodeMS: map[string]float64{}},
		},
		Missing: text.Distinct(final.Missing), Filter: final.Filter, Final: final.Answer, Statements: []AuditStatement{},
		Grounding: final.Grounding, Statutes: final.StatuteSummary, Policies: final.PolicySummary,
		Extracted: orEmpty(final.Requirements), Verified: []VerifiedRequirement{}, Rejected: []VerifiedRequirement{},
		Conflicts: orEmpty(final.Conflicts), Findings: orEmpty(final.Findings), Documents: []AuditDocument{}, Skills: map[string]string{},
	}
	a.Result = result(a.Status)
	byID := map[string]Requirement{}
	for _, r := range final.Requirements {
		byID[r.ID] = r
		if !slices.ContainsFunc(a.Documents, func(d AuditDocument) bool { return d.Source == r.Source }) {
			a.Documents = append(a.Documents, documentOf(r.Source, files))
		}
	}
	a.verdicts(final, byID)
	for _, st := range final.Statements {
		one := AuditStatement{Statement: st, Lineage: []Lineage{}}
		for _, id := range st.IDs {
			one.Lineage = append(one.Lineage, a.lineage(byID[id]))
		}
		a.Statements = append(a.Statements, one)
	}
	a.References, a.Unused = used(final.Verified(), final.Statements)
	a.sources(final, files)
	a.Trail = Trail{
		Retrieved: len(final.Hits), Extracted: len(final.Requirements), Verified: len(a.Verified),
		Confidence: final.Draft.Confidence, Revisions: final.Revisions,
	}
	a.Trail.PassRate = passRate(a.Trail.Verified, a.Trail.Extracted)
	if a.Result == ResultNoEvidence {
		a.Message = a.nothing(final)
	}
	if a.Trail.Confidence == "" {
		a.Trail.Confidence = GroundedInsufficient
	}
	return a
}

// nothing says that no rule was found, in how many passages, and which requirement is nearest.
func (a *Audit) nothing(final State) string {
	docs := map[string]bool{}
	for _, h := range final.Hits {
		docs[h.Passage.Doc] = true
	}
	if len(final.Hits) == 0 {
		return "No passage of the corpus has a word of the question."
	}
	rule := "rule"
	if final.Filter.Explicit {
		rule = "norm in so many words"
	}
	said := fmt.Sprintf("No %s in what was read (%s of %s) answers the question.", rule, count(len(final.Hits), "passage"), count(len(docs), "document"))
	if len(a.Rejected) > 0 && a.Rejected[0].Relevance > 0 {
		near := a.Rejected[0]
		said += fmt.Sprintf(" The nearest, of %s: “%s”", near.Document, llm.Cut(oneLine(near.Quote), mostShown))
	}
	return said
}

func count(n int, of string) string {
	if n != 1 {
		of += "s"
	}
	return fmt.Sprintf("%d %s", n, of)
}

func passRate(verified, extracted int) float64 {
	if extracted == 0 {
		return 0
	}
	return float64(verified) / float64(extracted)
}

// used lists where the answer cites each verified requirement, and the requirements that it
// does not cite.
func used(verified []Requirement, statements []Statement) (refs []Reference, unused []string) {
	refs, unused = []Reference{}, []string{}
	for _, r := range verified {
		ref := Reference{ID: r.ID}
		if at := slices.IndexFunc(statements, func(s Statement) bool { return slices.Contains(s.IDs, r.ID) }); at >= 0 {
			ref.Used, ref.Statement = true, statements[at].Text
		} else {
			unused = append(unused, r.ID)
		}
		refs = append(refs, ref)
	}
	return refs, unused
}

// End is the end of a run. An answer contains only statements that passed the review, so it
// is grounded.
func End(final State, runErr error) state.End {
	o := state.Outcome{
		Err: runErr, Answered: len(final.Statements) > 0, Grounded: true, Losses: text.Distinct(final.Losses),
		Searched: state.Searched{Queries: []string{final.Question}},
	}
	return o.End()
}

// result returns the audit's result for the end of a run.
func result(status state.Status) string {
	switch status {
	case state.StatusAnswered, state.StatusUngrounded:
		return ResultAnswered
	case state.StatusNoEvidence:
		return ResultNoEvidence
	}
	return ResultUnknown
}

func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// verdicts sorts the requirements into verified ones, most relevant first, and rejected ones. Among
// the rejected ones, those that address the question and fail another criterion come first, then by
// rank of their passages.
func (a *Audit) verdicts(final State, byID map[string]Requirement) {
	rank := map[string]int{}
	for _, h := range final.Hits {
		rank[h.Passage.ID] = h.Rank
	}
	for _, v := range final.Verdicts {
		r := byID[v.ID]
		one := VerifiedRequirement{v, r.Quote, r.Document, r.Heading, r.Label, r.Degree, r.Relevance}
		if v.Verified {
			a.Verified = append(a.Verified, one)
		} else {
			a.Rejected = append(a.Rejected, one)
		}
	}
	slices.SortStableFunc(a.Verified, func(x, y VerifiedRequirement) int { return byID[x.ID].compare(byID[y.ID]) })
	near := func(v VerifiedRequirement) int {
		if v.Reason == state.NotRelevant {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(a.Rejected, func(x, y VerifiedRequirement) int {
		if d := near(x) - near(y); d != 0 {
			return d
		}
		return cmp.Or(byID[x.ID].compare(byID[y.ID]), rank[byID[x.ID].Chunk]-rank[byID[y.ID].Chunk])
	})
}

func (a *Audit) lineage(r Requirement) Lineage {
	l := Lineage{Requirement: r.ID, Chunk: r.Chunk, Document: r.Document, Start: r.Start, End: r.End}
	for _, d := range a.Documents {
		if d.Source == r.Source {
			l.Path, l.Original, l.Hash = d.Path, d.Original, d.Hash
		}
	}
	return l
}

// sources returns the passages that the answer cites, with its quotes from them.
func (a *Audit) sources(final State, files verify.Locator) {
	for _, h := range final.Hits {
		var quotes []state.QuoteSpan
		for _, r := range final.Requirements {
			if r.Chunk == h.Passage.ID && cites(final.Statements, r.ID) {
				quotes = append(quotes, state.QuoteSpan{Start: r.Start, End: r.End, Text: r.Quote})
			}
		}
		if len(quotes) == 0 {
			continue
		}
		s := verify.SourceOf(h.Passage, files)
		s.N, s.Quotes, s.Where = len(a.Sources)+1, quotes, h.Passage.WhereIn(quotes)
		a.Sources = append(a.Sources, s)
		a.Verification.QuotesChecked += len(quotes)
		if s.Stale == "" {
			a.Verification.QuotesExact += len(quotes)
		}
	}
}

func documentOf(source string, files verify.Locator) AuditDocument {
	d := AuditDocument{Source: source}
	var err error
	if d.Path, d.Original, err = files.TextPath(source); err == nil && d.Path != "" {
		d.Hash, err = fileHash(d.Path)
	}
	if err != nil {
		d.Fault = err.Error()
	}
	return d
}

func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("opening the document: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("reading the document: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
