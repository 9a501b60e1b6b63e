package verify_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// sure is a server of /predict that gives each pair the same probability of
// support; of 0, it is out of order.
func sure(t *testing.T, p float64) llm.Model {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if p == 0 || err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		n := strings.Count(string(body), "],[") + 1
		one := fmt.Sprintf(`[{"label":"ENTAILMENT","score":%v},{"label":"NEUTRAL","score":%v}]`, p, 1-p)
		io.WriteString(w, "["+strings.TrimSuffix(strings.Repeat(one+",", n), ",")+"]")
	}))
	t.Cleanup(s.Close)
	c, err := classify.NewClient(classify.Support, &classify.Options{URL: s.URL + "/predict"})
	if err != nil {
		t.Fatal(err)
	}
	return llm.StandIn(offline.New(nil))(classify.NewJudge(c, nil))
}

// The verdicts are those of the server, unless code overrules them; of a server
// that fails, they are those of the model that stands in, and the run says so.
func TestServerThatJudges(t *testing.T) {
	passage := "The permit lasts three years. It may be renewed once by the county."
	evidence := []state.Evidence{{Label: "Source 1", Passage: state.Passage{ID: "p", Doc: "d", Text: passage, End: len(passage)}}}
	for _, tc := range []struct {
		name, claim string
		p           float64
		status      state.ClaimStatus
		quote       string
		conflict    bool
	}{
		{"sure", "A renewal is possible one time.", .97, state.Supported, "The permit lasts three years.", false},
		{"unsure", "A renewal is possible one time.", .2, state.Unsupported, "", false},
		{"overruled by a number", "The permit lasts five years.", .97, state.Unsupported, "", true},
		{"word for word, unasked", "The permit lasts three years.", .2, state.Supported, "The permit lasts three years.", false},
		{"down, offline stands in", "The permit may be renewed once by the county.", 0, state.Supported, "It may be renewed once by the county.", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := verify.New(verify.Deps{Model: sure(t, tc.p), Skills: set(t)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			final, err := p.Run(t.Context(), verify.Input{Response: tc.claim, Evidence: evidence}, nil)
			if err != nil || len(final.Verdicts) != 1 {
				t.Fatalf("%+v, %v", final, err)
			}
			v := final.Verdicts[0]
			if v.Status != tc.status || (len(v.Conflicts) > 0) != tc.conflict || tc.quote != "" && (len(v.For) == 0 || v.For[0].Text != tc.quote) {
				t.Errorf("verdict %+v", v)
			}
			if tc.p > 0 {
				if v.StandIn != "" || len(final.Losses) != 0 || len(final.Warnings) != 0 {
					t.Errorf("lost %+v, warned %q", final.Losses, final.Warnings)
				}
				return
			}
			if !strings.Contains(v.StandIn, "401") || len(final.Losses) != 1 || final.Losses[0].Cause != state.CauseKey || len(final.Warnings) != 1 || !strings.Contains(final.Warnings[0], "401") {
				t.Errorf("verdict %+v, lost %+v, warned %q", v, final.Losses, final.Warnings)
			}
		})
	}
}
