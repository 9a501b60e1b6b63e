package verify

import (
	"cmp"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// Decision is the next action of the verification pipeline.
type Decision string

const (
	decideFinish  Decision = "finish"  // finish with the best attempt
	decideCorrect Decision = "correct" // search for missing evidence, write a correction, check it
	decideWrite   Decision = "write"   // write a correction from the passages found for the claims
)

// A CorrectiveQuery searches for evidence for a claim.
type CorrectiveQuery struct {
	Claim int    `json:"claim"` // ID of the claim
	Query string `json:"query"`
}

// A ClaimSearch is a search of a corpus before a claim was judged, and its result.
type ClaimSearch struct {
	Query      string      `json:"query"`      // the claim as judged
	Confidence float64     `json:"confidence"` // below 0.35 the corpus does not contain it
	Passages   []string    `json:"passages"`   // IDs, best first
	Nearest    *Nearest    `json:"nearest,omitempty"`
	Error      string      `json:"error,omitempty"`
	Cause      state.Cause `json:"cause,omitempty"` // cause of the error
}

// Nearest is the found stretch that is nearest in meaning to a claim; nil if no encoder took part.
type Nearest struct {
	Passage string  `json:"passage"`
	Start   int     `json:"start"` // bytes of the passage's text
	End     int     `json:"end"`
	Near    float64 `json:"near"` // 1 for the same meaning
}

// An Attempt is one judged version of a response.
type Attempt struct {
	N          int               `json:"n"` // 0 is the given response
	Response   string            `json:"response"`
	Confidence float64           `json:"confidence"`
	Grounded   bool              `json:"is_grounded"` // every claim is supported, and there is one
	Verdicts   []state.Verdict   `json:"claims"`
	Queries    []CorrectiveQuery `json:"queries,omitempty"` // queries before it was written
	Added      []string          `json:"added,omitempty"`   // IDs of the passages that were found and read
}

// Counts returns how many claims of an attempt have a status.
func (a Attempt) Counts(status state.ClaimStatus) int {
	n := 0
	for _, v := range a.Verdicts {
		if v.Status == status {
			n++
		}
	}
	return n
}

// State is the state of the verification pipeline. Nodes change it only
// through the channels below.
type State struct {
	Query    string           `json:"query"`    // the question that the response answers; may be empty
	Response string           `json:"response"` // the given response, later a correction
	Evidence []state.Evidence `json:"evidence"` // evidence for claims, in the order in which it was read
	// Prefix precedes the label of evidence found during the run: "Query 3" makes "Query 3 Source
	// 1"; empty makes "P-1".
	Prefix string `json:"prefix,omitempty"`
	AsOf   string `json:"as_of,omitempty"` // the day on which documents must be in force; empty for any

	Searches []ClaimSearch     `json:"searches,omitempty"` // searches for claims before they were judged; each query once
	Claims   []state.Claim     `json:"claims"`             // of the current response
	Verdicts []state.Verdict   `json:"verdicts"`           // of those claims, by id
	Attempts []Attempt         `json:"attempts"`           // every judged version, in order
	Asked    []string          `json:"asked,omitempty"`    // every query tried
	Queries  []CorrectiveQuery `json:"queries,omitempty"`  // queries of this round
	Added    []string          `json:"added,omitempty"`    // IDs of the passages that this round found
	Decision Decision          `json:"decision,omitempty"`
	Losses   []state.Loss      `json:"losses,omitempty"` // calls that failed while the run went on
	Final    string            `json:"final"`            // the given response, with unsupported claims marked
	// Corrected is a better supported version that this run wrote, marked likewise; empty if there
	// is none. Its text may equal the response, judged with more evidence.
	Corrected string           `json:"corrected,omitempty"`
	Warnings  []string         `json:"warnings,omitempty"`
	Usage     state.ModelUsage `json:"usage"`
}

// Channels of State.
var (
	queryChannel     = graph.LastValue("query", func(s *State) *string { return &s.Query })
	responseChannel  = graph.LastValue("response", func(s *State) *string { return &s.Response })
	evidenceChannel  = graph.Append("evidence", func(s *State) *[]state.Evidence { return &s.Evidence })
	prefixChannel    = graph.LastValue("prefix", func(s *State) *string { return &s.Prefix })
	asOfChannel      = graph.LastValue("as_of", func(s *State) *string { return &s.AsOf })
	searchesChannel  = graph.Append("searches", func(s *State) *[]ClaimSearch { return &s.Searches })
	claimsChannel    = graph.LastValue("claims", func(s *State) *[]state.Claim { return &s.Claims })
	verdictsChannel  = graph.Append("verdicts", func(s *State) *[]state.Verdict { return &s.Verdicts })
	attemptsChannel  = graph.Append("attempts", func(s *State) *[]Attempt { return &s.Attempts })
	askedChannel     = graph.Append("asked", func(s *State) *[]string { return &s.Asked })
	queriesChannel   = graph.LastValue("queries", func(s *State) *[]CorrectiveQuery { return &s.Queries })
	addedChannel     = graph.LastValue("added", func(s *State) *[]string { return &s.Added })
	decisionChannel  = graph.LastValue("decision", func(s *State) *Decision { return &s.Decision })
	lossesChannel    = graph.Append("losses", func(s *State) *[]state.Loss { return &s.Losses })
	finalChannel     = graph.LastValue("final", func(s *State) *string { return &s.Final })
	correctedChannel = graph.LastValue("corrected", func(s *State) *string { return &s.Corrected })
	warningsChannel  = graph.Append("warnings", func(s *State) *[]string { return &s.Warnings })
	usageChannel     = graph.Reduce("usage", func(s *State) *state.ModelUsage { return &s.Usage }, state.ModelUsage.Plus)
)

// channels returns every channel of State, for NewStateGraph.
func channels() []graph.Channel[State] {
	return []graph.Channel[State]{
		queryChannel, responseChannel, evidenceChannel, prefixChannel, asOfChannel, searchesChannel, claimsChannel, verdictsChannel, attemptsChannel, askedChannel,
		queriesChannel, addedChannel, decisionChannel, lossesChannel, finalChannel, correctedChannel, warningsChannel, usageChannel,
	}
}

// Best returns the attempt with the highest confidence, the earliest of equals. It may be a
// correction.
func (s State) Best() (Attempt, bool) {
	if len(s.Attempts) == 0 {
		return Attempt{}, false
	}
	return slices.MaxFunc(s.Attempts, func(a, b Attempt) int { return cmp.Compare(a.Confidence, b.Confidence) }), true
}

// Given returns the first attempt: the given response. A correction changes none of its verdicts.
func (s State) Given() (Attempt, bool) {
	if len(s.Attempts) == 0 {
		return Attempt{}, false
	}
	return s.Attempts[0], true
}
