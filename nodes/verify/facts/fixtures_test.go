package facts

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/assay/state"
)

// A fixture is a line of testdata: evidence, a claim that it supports, and, in
// pairs, the same claim with one thing changed. Every third was held back
// while the checks were written.
type fixture struct {
	ID       string             `json:"id"`
	Matter   string             `json:"matter"`
	HeldBack bool               `json:"held_back"`
	Evidence []string           `json:"evidence"`
	Claim    string             `json:"claim"`
	Changed  string             `json:"changed"`
	Kind     state.ConflictKind `json:"kind"`
	Known    string             `json:"known"` // why the outcome is another one than it should be
}

func fixturesOf(t testing.TB, name string) []fixture {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []fixture
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var x fixture
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatalf("%s, line %d: %v", name, len(out)+1, err)
		}
		out = append(out, x)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func kinds(conflicts []Conflict) []state.ConflictKind {
	var out []state.ConflictKind
	for _, c := range conflicts {
		out = append(out, c.Kind)
	}
	return out
}

// skipHeld hides what is held back, so that it is measured only once:
// ASSAY_HELD=1 shows it.
func skipHeld(f fixture) bool { return f.HeldBack && os.Getenv("ASSAY_HELD") == "" }

func TestPairs(t *testing.T) {
	ok, n := 0, 0
	for _, f := range fixturesOf(t, "pairs.jsonl") {
		if skipHeld(f) {
			continue
		}
		n++
		ev := Prepare(f.Evidence)
		if r := ev.Check(f.Claim); len(r.Conflicts) > 0 {
			t.Errorf("%s: %q against %q: %+v", f.ID, f.Claim, f.Evidence, r.Conflicts)
		}
		r := ev.Check(f.Changed)
		if got := kinds(r.Conflicts); !slices.Equal(got, []state.ConflictKind{f.Kind}) {
			t.Errorf("%s: %q against %q: %v, want %s %+v", f.ID, f.Changed, f.Evidence, got, f.Kind, r.Aligned)
		} else {
			ok++
		}
	}
	t.Logf("%d of %d", ok, n)
}

func TestBenign(t *testing.T) {
	ok, n := 0, 0
	for _, f := range fixturesOf(t, "benign.jsonl") {
		if skipHeld(f) {
			continue
		}
		n++
		if r := Prepare(f.Evidence).Check(f.Claim); len(r.Conflicts) > 0 {
			t.Errorf("%s: %q against %q: %+v", f.ID, f.Claim, f.Evidence, r.Conflicts)
		} else {
			ok++
		}
	}
	t.Logf("%d of %d", ok, n)
}
