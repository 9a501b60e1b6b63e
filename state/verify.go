package state

import (
	"cmp"
	"slices"

	"example.com/assay/graph"
)

// VerifyDecision is what the verification pipeline does next.
type VerifyDecision string

const (
	VerifyFinish  VerifyDecision = "finish"  // with the best attempt there is
	VerifyCorrect VerifyDecision = "correct" // look for what is missing, write a correction, check it
	VerifyWrite   VerifyDecision = "write"   // write a correction from what was found for the claims
)

// A CorrectiveQuery looks for what would carry a claim.
type CorrectiveQuery struct {
	Claim int    `json:"claim"` // its id
	Query string `json:"query"`
}

// A ClaimSearch is a search of a corpus before a claim was judged, and its result.
type ClaimSearch struct {
	Query      string   `json:"query"`      // the claim as it is judged
	Confidence float64  `json:"confidence"` // calibrated: below 0.35 the corpus does not hold it
	Passages   []string `json:"passages"`   // ids, the best first
	Error      string   `json:"error,omitempty"`
	Cause      Cause    `json:"cause,omitempty"` // of that error
}

// A VerifyAttempt is one version of a response as it was judged.
type VerifyAttempt struct {
	N          int               `json:"n"` // 0 is the response as it was given
	Response   string            `json:"response"`
	Confidence float64           `json:"confidence"`
	Grounded   bool              `json:"is_grounded"` // every claim is supported, and there is one
	Verdicts   []Verdict         `json:"claims"`
	Queries    []CorrectiveQuery `json:"queries,omitempty"` // what was searched before it was written
	Added      []string          `json:"added,omitempty"`   // ids of the passages that were found and read
}

// Counts returns how many claims of an attempt have a status.
func (a VerifyAttempt) Counts(status ClaimStatus) int {
	n := 0
	for _, v := range a.Verdicts {
		if v.Status == status {
			n++
		}
	}
	return n
}

// Verify is the state of the verification pipeline. Nodes change it only
// through the channels below.
type Verify struct {
	Query    string     `json:"query"`    // the question that the response answers; may be empty
	Response string     `json:"response"` // as it stands: as given, later as a correction was written
	Evidence []Evidence `json:"evidence"` // what claims may stand on, in the order in which it was read
	// Prefix goes before the label of evidence that is found on the way:
	// "Query 3" makes "Query 3 Source 1"; empty makes "P-1".
	Prefix string `json:"prefix,omitempty"`

	Searches []ClaimSearch     `json:"searches,omitempty"` // for claims, before they were judged; each query once
	Claims   []Claim           `json:"claims"`             // of the response as it stands
	Verdicts []Verdict         `json:"verdicts"`           // of those claims, by id
	Attempts []VerifyAttempt   `json:"attempts"`           // every version that was judged, in order
	Asked    []string          `json:"asked,omitempty"`    // every query tried
	Queries  []CorrectiveQuery `json:"queries,omitempty"`  // of this round
	Added    []string          `json:"added,omitempty"`    // ids of the passages that this round found
	Decision VerifyDecision    `json:"decision,omitempty"`
	Losses   []Loss            `json:"losses,omitempty"` // calls that failed while the run went on
	Final    string            `json:"final"`            // the response as it was given, with what has no support marked
	// Corrected is a version that this run wrote and that is better supported, marked
	// likewise; empty when there is none. Its text may equal the response, judged with
	// more evidence.
	Corrected string     `json:"corrected,omitempty"`
	Warnings  []string   `json:"warnings,omitempty"`
	Usage     ModelUsage `json:"usage"`
}

// Channels of Verify.
var (
	VerifyQuery    = graph.LastValue("query", func(s *Verify) *string { return &s.Query })
	VerifyResponse = graph.LastValue("response", func(s *Verify) *string { return &s.Response })
	VerifyEvidence = graph.Append("evidence", func(s *Verify) *[]Evidence { return &s.Evidence })
	VerifyPrefix   = graph.LastValue("prefix", func(s *Verify) *string { return &s.Prefix })
	VerifySearches = graph.Append("searches", func(s *Verify) *[]ClaimSearch { return &s.Searches })
	VerifyClaims   = graph.LastValue("claims", func(s *Verify) *[]Claim { return &s.Claims })
	VerifyVerdicts = graph.Append("verdicts", func(s *Verify) *[]Verdict { return &s.Verdicts })
	VerifyAttempts = graph.Append("attempts", func(s *Verify) *[]VerifyAttempt { return &s.Attempts })
	VerifyAsked    = graph.Append("asked", func(s *Verify) *[]string { return &s.Asked })
	VerifyQueries  = graph.LastValue("queries", func(s *Verify) *[]CorrectiveQuery { return &s.Queries })
	VerifyAdded    = graph.LastValue("added", func(s *Verify) *[]string { return &s.Added })
	VerifyDecided  = graph.LastValue("decision", func(s *Verify) *VerifyDecision { return &s.Decision })
	VerifyLosses   = graph.Append("losses", func(s *Verify) *[]Loss { return &s.Losses })
	VerifyFinal    = graph.LastValue("final", func(s *Verify) *string { return &s.Final })
	VerifyFixed    = graph.LastValue("corrected", func(s *Verify) *string { return &s.Corrected })
	VerifyWarnings = graph.Append("warnings", func(s *Verify) *[]string { return &s.Warnings })
	VerifyUsage    = graph.Reduce("usage", func(s *Verify) *ModelUsage { return &s.Usage }, ModelUsage.Plus)
)

// VerifyChannels returns every channel of Verify, for NewStateGraph.
func VerifyChannels() []graph.Channel[Verify] {
	return []graph.Channel[Verify]{
		VerifyQuery, VerifyResponse, VerifyEvidence, VerifyPrefix, VerifySearches, VerifyClaims, VerifyVerdicts, VerifyAttempts, VerifyAsked,
		VerifyQueries, VerifyAdded, VerifyDecided, VerifyLosses, VerifyFinal, VerifyFixed, VerifyWarnings, VerifyUsage,
	}
}

// Best is the attempt of the highest confidence, the earliest of equals. It may
// be a correction.
func (s Verify) Best() (VerifyAttempt, bool) {
	if len(s.Attempts) == 0 {
		return VerifyAttempt{}, false
	}
	return slices.MaxFunc(s.Attempts, func(a, b VerifyAttempt) int { return cmp.Compare(a.Confidence, b.Confidence) }), true
}

// Given is the first verdict on the response as it was given. A correction, and what
// it reads, changes none of its verdicts.
func (s Verify) Given() (VerifyAttempt, bool) {
	if len(s.Attempts) == 0 {
		return VerifyAttempt{}, false
	}
	return s.Attempts[0], true
}
