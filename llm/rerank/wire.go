package rerank

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// request returns the body of a request. It has only fields that every server of the dialect
// accepts. Its top_n asks for a score of every text, since a server's default may be lower.
func request(d Dialect, model, query string, texts []string) any {
	if d == Texts {
		return struct {
			Query    string   `json:"query"`
			Texts    []string `json:"texts"`
			Truncate bool     `json:"truncate"` // the server cuts a long text instead of refusing it
		}{query, texts, true}
	}
	return struct {
		Model     string   `json:"model,omitempty"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
		TopN      int      `json:"top_n"`
	}{model, query, texts, len(texts)}
}

// A result is one score. Servers list results best first, with the text's index in the request.
type result struct {
	Index          *int     `json:"index"`
	RelevanceScore *float64 `json:"relevance_score"`
	Score          *float64 `json:"score"`
}

// decode reads an answer in either form into n scores by index. Each text must have exactly one
// score.
func decode(raw []byte, n int) ([]float64, error) {
	var list []result
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("decoding it: %w", err)
		}
	} else {
		var object struct {
			Results []result `json:"results"`
		}
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, fmt.Errorf("decoding it: %w", err)
		}
		list = object.Results
	}
	if len(list) != n {
		return nil, fmt.Errorf("it holds %d scores for %d texts", len(list), n)
	}
	out, seen := make([]float64, n), make([]bool, n)
	for i, r := range list {
		score := r.RelevanceScore
		if score == nil {
			score = r.Score
		}
		switch {
		case r.Index == nil || score == nil:
			return nil, fmt.Errorf("result %d lacks its index or its score", i+1)
		case *r.Index < 0 || *r.Index >= n:
			return nil, fmt.Errorf("result %d is of text %d; there are 0 to %d", i+1, *r.Index, n-1)
		case seen[*r.Index]:
			return nil, fmt.Errorf("result %d is of text %d again", i+1, *r.Index)
		}
		seen[*r.Index], out[*r.Index] = true, *score
	}
	return out, nil
}
