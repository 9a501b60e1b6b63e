package casestudies_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/retrieval"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// TestCounty runs the compliance cases offline: what each is to end with, the
// audit that is checked without a model, and the golden trace, whatever runs side
// by side.
func TestCounty(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	corpus := ingest(t, t.TempDir(), filepath.Join("corpora", "county-behavioural-health"))
	inspect := func(text string) []retrieval.Order {
		var out []retrieval.Order
		for _, o := range offline.Instructions(text) {
			out = append(out, retrieval.Order{Kind: o.Category, Start: o.Start, End: o.End})
		}
		return out
	}
	p, err := evidence.New(evidence.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus, Inspect: inspect}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		in        evidence.Input
		grounding state.GroundingConfidence
		holds     []string
		conflicts int
		missing   string
	}{
		"county_high": {
			evidence.Input{Question: "What must a mobile crisis team do for a person in crisis?", Filter: state.ComplyFilter{SourceType: state.Statute}},
			state.GroundedHigh, []string{"face-to-face assessment", "written safety plan"}, 0, "",
		},
		"county_medium": {
			evidence.Input{Question: "How long must a provider keep the signed consent form of a client?"},
			state.GroundedMedium, []string{"for ten years", "[REQ-S001, REQ-P001]"}, 0, "",
		},
		"county_conflicting": {
			evidence.Input{Question: "Within how many minutes of a crisis call shall a team reach a person?"},
			"", []string{"60 minutes", "90 minutes", "Conflict (number): “60 minutes” against “90 minutes” ["}, 1, "",
		},
		"county_insufficient": {
			evidence.Input{Question: "What is the rate for the transport of a client by ambulance?"},
			state.GroundedInsufficient, nil, 0, "[Placeholder: rate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var first []byte
			for _, concurrency := range []int{1, 8} {
				input, err := json.Marshal(c.in.Question)
				if err != nil {
					t.Fatal(err)
				}
				header := trace.Header{Config: map[string]string{"case": name, "model": "offline"}, Skills: map[string]string{}, Input: input}
				for _, skill := range evidence.Skills() {
					s, err := set.Get(skill)
					if err != nil {
						t.Fatal(err)
					}
					header.Skills[skill] = s.Hash
				}
				var lines bytes.Buffer
				final, _, runErr := follow.Run(t.Context(), p.Graph(), c.in.Update(), &follow.Options[state.Comply]{
					Trace: trace.NewWriter(&lines, header), Run: graph.RunOptions{Concurrency: concurrency},
				})
				audit := evidence.Result(final, runErr, corpus)
				if problems := evidence.Check(audit).Problems; len(problems) > 0 || runErr != nil {
					t.Fatalf("%v, the audit does not hold: %q", runErr, problems)
				}
				if c.grounding != "" && audit.Grounding != c.grounding || len(audit.Conflicts) != c.conflicts {
					t.Errorf("grounding %s, conflicts %+v", audit.Grounding, audit.Conflicts)
				}
				for _, words := range c.holds {
					if !strings.Contains(audit.Final, words) {
						t.Errorf("the answer does not hold %q:\n%s", words, audit.Final)
					}
				}
				if c.missing != "" && !slices.ContainsFunc(audit.Missing, func(m string) bool { return strings.Contains(m, c.missing) }) {
					t.Errorf("missing evidence: %q", audit.Missing)
				}
				records, err := trace.Read(&lines)
				if err != nil {
					t.Fatal(err)
				}
				records = trace.Normalise(records)
				var b bytes.Buffer
				if err := trace.Write(&b, records); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = b.Bytes()
					answer := audit.Final
					if answer == "" {
						answer = audit.Result + ": " + audit.Message
					}
					golden(t, eval.Case{Dir: name, Name: name}, records, answer)
				} else if !bytes.Equal(first, b.Bytes()) {
					t.Error("a second run gives another trace")
				}
			}
		})
	}
}
