// Package event has what nodes publish about their work: the names of custom events, and
// their payloads, as a run's stream and its trace hold them.
//
// It publishes and reads nothing. Nodes and package llm publish; traces, pages, spans and
// the terminal read.
package event

import "example.com/assay/state"

// The names of events.
const (
	ModelCall      = "model_call"      // a Call
	ModelText      = "model_text"      // a Text, before the tokens of a model that streams
	Retrieval      = "retrieval"       // a Search; of the pipeline of edges, an EdgeSearch
	RerankFallback = "rerank_fallback" // a Fallback: the hits are in the index's order
	PassageOrders  = "passage_orders"  // Orders
	Verdict        = "verdict"         // on an edge: a state.AuditEntry
)

// A Text begins the text of a message. Only readers of tokens get the event.
type Text struct {
	Skill   string `json:"skill"`
	Message string `json:"message,omitempty"` // the ID of the message that the text becomes; empty if no message does
}

// Call is what was asked of a model and how it went.
type Call struct {
	Skill     string           `json:"skill"`
	SkillHash string           `json:"skill_hash"`
	Model     string           `json:"model,omitempty"`    // who answered; empty when the call failed
	Fallback  string           `json:"fallback,omitempty"` // why the first model did not answer, when another was asked; at most 300 bytes
	Usage     state.ModelUsage `json:"usage"`
	OK        bool             `json:"ok"`              // the answer came and fits its schema
	Repaired  bool             `json:"repaired"`        // this call was the repair of an answer that did not fit
	Error     string           `json:"error,omitempty"` // at most 300 bytes
	Said      *Said            `json:"said,omitempty"`  // below a context of llm.Verbatim
}

// Said is what was sent to a model and what it answered. Of pictures it has no bytes, and
// each text is cut to 64 KiB.
type Said struct {
	Messages []Message  `json:"messages"`
	Answer   string     `json:"answer,omitempty"` // empty when the call failed
	Calls    []ToolCall `json:"calls,omitempty"`
	Cassette bool       `json:"cassette,omitempty"` // the answer is a recorded one
}

// Search is a search: its queries, and the passages with their scores.
type Search struct {
	StepID     int                `json:"step_id,omitempty"`      // of the planning table; 0 for a search outside of a step
	Claim      int                `json:"claim,omitempty"`        // the claim whose evidence was searched for; 0 for none
	Queries    []string           `json:"queries"`                // the primary first
	Respelt    []state.Respelling `json:"searched_for,omitempty"` // words of the queries that were replaced, or extended by another form
	Excluded   int                `json:"excluded"`               // passages that were read before
	Candidates int                `json:"candidates"`             // pooled from all queries
	Similarity float64            `json:"similarity"`             // raw; comparable only within this corpus
	Strength   float64            `json:"strength"`               // of the best hit against the query's background
	Confidence float64            `json:"confidence"`             // a function of the two
	Reranker   string             `json:"reranker,omitempty"`     // what ordered the hits, if not the index
	Hits       []Hit              `json:"hits"`
}

// Hit is one hit of a Search.
type Hit struct {
	Passage string        `json:"passage"`
	Scores  []state.Score `json:"scores"`
}

// EdgeSearch is a search of the pipeline of edges, one side of an edge.
type EdgeSearch struct {
	Edge      string   `json:"edge"` // its id
	Iteration int      `json:"iteration"`
	Side      string   `json:"side"`
	Queries   []string `json:"queries"`
	Fallback  bool     `json:"fallback,omitempty"`
	Error     string   `json:"error,omitempty"`
	// Candidates and Confidence are those of a Search. A search by single terms
	// and one that failed have none.
	Candidates *int      `json:"candidates,omitempty"`
	Confidence *float64  `json:"confidence,omitempty"`
	Hits       []EdgeHit `json:"hits"` // best first; their scores are in the edge's retrieval trace
}

// EdgeHit is one hit of an EdgeSearch.
type EdgeHit struct {
	Passage string `json:"passage"`
}

// Fallback is the failure of a search's reranker.
type Fallback struct {
	StepID int    `json:"step_id,omitempty"`
	Claim  int    `json:"claim,omitempty"`
	Reason string `json:"reason"` // at most 300 bytes
}

// Orders are the kinds of prompt injection in a passage that was read.
type Orders struct {
	StepID  int      `json:"step_id,omitempty"`
	Passage string   `json:"passage"`
	Kinds   []string `json:"kinds"`
}
