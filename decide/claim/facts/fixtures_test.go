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

// A tally counts what is right, apart for what was held back.
type tally struct{ right, all [2]int }

func (c *tally) add(f fixture, right bool) {
	at := 0
	if f.HeldBack {
		at = 1
	}
	c.all[at]++
	if right {
		c.right[at]++
	}
}

func (c *tally) log(t *testing.T) {
	t.Logf("%d of %d, held back %d of %d", c.right[0], c.all[0], c.right[1], c.all[1])
}

func TestPairs(t *testing.T) {
	var c tally
	for _, f := range fixturesOf(t, "pairs.jsonl") {
		ev := Prepare(f.Evidence)
		before, after := ev.Check(f.Claim), ev.Check(f.Changed)
		right := len(before.Conflicts) == 0 && slices.Equal(kinds(after.Conflicts), []state.ConflictKind{f.Kind})
		if c.add(f, right); !right {
			t.Errorf("%s, against %q:\n%q has %+v\n%q has %+v, want one of %s", f.ID, f.Evidence, f.Claim, before.Conflicts, f.Changed, after.Conflicts, f.Kind)
		}
	}
	c.log(t)
}

func TestBenign(t *testing.T) {
	var c tally
	for _, f := range fixturesOf(t, "benign.jsonl") {
		r := Prepare(f.Evidence).Check(f.Claim)
		if c.add(f, len(r.Conflicts) == 0); len(r.Conflicts) > 0 {
			t.Errorf("%s: %q against %q: %+v", f.ID, f.Claim, f.Evidence, r.Conflicts)
		}
	}
	c.log(t)
}
