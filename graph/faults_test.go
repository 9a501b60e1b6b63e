package graph_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A fault is a mistake that is put into the engine: in a file, a text is replaced.
type fault struct{ what, file, old, new string }

var faults = []fault{
	{"a join leads on after its first source", "internal/machine/frontier.go", "!slices.Contains(arrived, false)", "slices.Contains(arrived, true)"},
	{"a jump also follows the edges", "internal/machine/frontier.go", "jumps = chosen.Jumps", "jumps = false"},
	{"a deferred node does not wait", "internal/machine/frontier.go", "case m.plan.Nodes[id].Deferred:", "case false:"},
	{"an overwrite does not void adds", "internal/machine/tally.go", "t.slots[channel].overwrites == 0 || op == Overwrite", "true"},
	{"one superstep more than the limit", "internal/machine/machine.go", "m.step-m.first >= m.opts.Limit:", "m.step-m.first > m.opts.Limit:"},
	{"a finished task is not recorded", "internal/machine/machine.go", "return how == Returned && len(m.tasks) > 1 && m.opts.Saved", "return false"},
	{"an input drops what finished tasks wrote", "enter.go", "pos.now, pos.finishedBefore = then, finished", "_ = then"},
	{"an Ephemeral value outlives its superstep on record", "save.go", "len(pos.program.fleeting) > 0 {", "false {"},
	{"an answer is recorded under the ID", "interrupt.go", "Key: places[id], Data: a.data", "Key: id, Data: a.data"},
	{"what Once returned is not looked up", "journal.go", "if data, ok := j.recall(RecordOnce, place); ok {", "if data, ok := j.recall(RecordOnce, place); ok && false {"},
	{"a graph inside a node begins anew", "attach.go", "if p.last.Owner == r.pos.ledger.owner && !dead {", "if false && !dead {"},
	{"of two tasks that send, the Sends of one are lost", "internal/machine/frontier.go", "m.sends = append(m.sends, chosen.Sends...)", "_ = m"},
}

// TestFaults plants faults, one by one, and expects TestSimulation to find each within 100,000
// threads. It says after how many.
func TestFaults(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ALL") == "" {
		t.Skip("it compiles the tests once for each fault; ASSAY_TEST_ALL=1 runs it")
	}
	for _, f := range faults {
		t.Run(f.what, func(t *testing.T) {
			path, err := filepath.Abs(f.file)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(data), f.old); n != 1 {
				t.Fatalf("%s has %q %d times", f.file, f.old, n)
			}
			dir := t.TempDir()
			wrong, overlay := filepath.Join(dir, "wrong.go"), filepath.Join(dir, "overlay.json")
			list, err := json.Marshal(map[string]map[string]string{"Replace": {path: wrong}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{wrong: strings.Replace(string(data), f.old, f.new, 1), overlay: string(list)} {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-vet=off", "-run", "^TestSimulation$", "-timeout", "0", "-sim.runs", "100000", ".").CombinedOutput()
			seed := regexp.MustCompile(`seed (\d+):`).FindStringSubmatch(string(out))
			if err == nil || seed == nil {
				t.Fatalf("TestSimulation does not find it: %v\n%.2000s", err, out)
			}
			t.Logf("found with seed %s", seed[1])
		})
	}
}
