package traces

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph/trace"
	"example.com/assay/state"
)

// golden reads the golden trace of a case study, with its settings.
func golden(t *testing.T, name string) []trace.Record {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "case_studies", name, "golden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := trace.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// The state after each superstep, and the answer, are rebuilt from the trace alone.
func TestRebuild(t *testing.T) {
	for name, missing := range map[string]string{
		"battery_ricochet": "", "county_high": "", "public_health_edges": "", "planted_errors": "",
		"receipt_fields": "The answer could not be made again: the trace does not have the schema of the fields.",
	} {
		t.Run(name, func(t *testing.T) {
			records := golden(t, name)
			a, _, _ := clitest.App(t.TempDir())
			got, err := rebuild(t.Context(), a, config.Default(false), records, nil)
			if err != nil || got.why != missing || got.app == nil {
				t.Fatalf("%v, why %q", err, got.why)
			}
			if want := committedSteps(records) + 1; len(got.states) != want || got.states[0] == nil {
				t.Errorf("%d states of %d supersteps", len(got.states), want)
			}
			var answer state.Answer
			if missing != "" {
				return
			}
			if err := json.Unmarshal(got.answer, &answer); err != nil || answer.Answer == "" || answer.Status == "" {
				t.Errorf("answer %.200s: %v", got.answer, err)
			}
		})
	}
}

// A trace that breaks off anywhere is rebuilt up to there. No node runs for the rest: the
// pipeline has no corpus, and would fail.
func TestRebuildBrokenOff(t *testing.T) {
	records := golden(t, "battery_ricochet")
	a, _, _ := clitest.App(t.TempDir())
	most := 0
	for n := 1; n < len(records); n++ {
		got, err := rebuild(t.Context(), a, config.Default(false), records[:n], nil)
		if err != nil || got.why != "" {
			t.Fatalf("of %d records: %v, why %q", n, err, got.why)
		}
		if len(got.states) < most {
			t.Fatalf("of %d records there are %d states, of fewer there were %d", n, len(got.states), most)
		}
		most = len(got.states)
		var answer state.Answer
		if err := json.Unmarshal(got.answer, &answer); err != nil || answer.Status == state.StatusAnswered {
			t.Fatalf("of %d records: status %s, %v", n, answer.Status, err)
		}
	}
	if most < 10 {
		t.Errorf("%d states", most)
	}
}

// A graph that differs from the trace's, or that is unknown, is reported.
func TestRebuildOfAnotherGraph(t *testing.T) {
	a, _, _ := clitest.App(t.TempDir())
	for change, want := range map[string]func(*trace.Record){
		"The graph has changed since": func(r *trace.Record) { r.Fingerprint = "0123456789abcdef" },
		"there is no graph":           func(r *trace.Record) { r.Graph = "mine" },
		"continued a thread":          func(r *trace.Record) { r.Header = &trace.Header{Config: r.Header.Config} },
		"does not begin":              func(r *trace.Record) { r.Kind = "step_start" },
	} {
		records := golden(t, "county_high")
		want(&records[0])
		got, err := rebuild(t.Context(), a, config.Default(false), records, nil)
		if err != nil || !strings.Contains(got.why, change) || got.answer != nil {
			t.Errorf("%s: why %q, %v", change, got.why, err)
		}
	}
}
