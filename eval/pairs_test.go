package eval_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/assay/decide/injection"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A pair is a statement that its evidence supports, and the same with one word
// changed that changes what it says.
type pair struct {
	ID       string   `json:"id"`
	Evidence []string `json:"evidence"`
	Claim    string   `json:"claim"`
	Changed  string   `json:"changed"`
	Kind     string   `json:"kind"`
}

// The other claims of the responses, each a sentence of the context.
const (
	before = "Reports of the committee are published in the gazette."
	after  = "The gazette appears on the first Monday of a month."
)

// TestMinimalPairs: a response made of sentences of its context is grounded, and
// the same response with one number, unit, date, name, negation, direction,
// quantifier, modality or subject changed loses exactly that claim.
func TestMinimalPairs(t *testing.T) {
	p := verifier(t)
	kinds := map[string][2]int{} // pairs, of them with the unchanged claim supported
	for _, c := range pairs(t) {
		context := append([]string{before}, append(append([]string{}, c.Evidence...), after)...)
		whole := check(t, p, strings.Join(context, "\n\n"), context)
		if whole.Confidence < .9 || whole.ClaimsSupported != whole.ClaimsChecked {
			t.Errorf("%s: a response of its own context has %.2f: %+v", c.ID, whole.Confidence, whole.Claims)
		}
		changed := check(t, p, before+"\n\n"+c.Changed+"\n\n"+after, context)
		first, last := changed.Claims[0], changed.Claims[len(changed.Claims)-1]
		if first.Status != state.Supported || last.Status != state.Supported {
			t.Errorf("%s: the change took another claim with it: %+v", c.ID, changed.Claims)
		}
		if lost := changed.ClaimsChecked - changed.ClaimsSupported; lost < 1 || changed.IsGrounded && len(changed.Claims) == 3 && changed.Claims[1].Status == state.Supported {
			t.Errorf("%s (%s): “%s” is supported by “%s”", c.ID, c.Kind, c.Changed, strings.Join(c.Evidence, " "))
		}
		unchanged := check(t, p, c.Claim, context)
		n := kinds[c.Kind]
		n[0]++
		if unchanged.ClaimsSupported == unchanged.ClaimsChecked {
			n[1]++
		}
		kinds[c.Kind] = n
	}
	all := 0
	for _, kind := range []string{"number", "unit", "date", "name", "negation", "direction", "quantifier", "modality", "role"} {
		n := kinds[kind]
		all += n[0]
		t.Logf("%-10s %2d pairs; %2d of the unchanged paraphrases supported", kind, n[0], n[1])
	}
	if all < 60 {
		t.Errorf("%d pairs; at least 60 are wanted", all)
	}
}

func pairs(t *testing.T) []pair {
	t.Helper()
	file, err := os.Open("../decide/claim/facts/testdata/pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []pair
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c pair
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// verifier is the verification pipeline without a model and without a corpus,
// which looks for no orders.
func verifier(t *testing.T) *verify.Pipeline { return verifierWith(t, nil) }

// inspecting is the same with the offline detector of orders.
func inspecting(t *testing.T) *verify.Pipeline {
	return verifierWith(t, injection.Orders)
}

func verifierWith(t *testing.T, inspect retrieval.Inspect) *verify.Pipeline {
	t.Helper()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := verify.New(verify.Deps{Model: offline.New(nil), Skills: set, Inspect: inspect}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func check(t *testing.T, p *verify.Pipeline, response string, context []string) state.ClaimCheck {
	t.Helper()
	in := verify.Input{Response: response}
	for i, text := range context {
		in.Evidence = append(in.Evidence, state.Evidence{Label: fmt.Sprintf("Source %d", i+1), Passage: state.Passage{ID: fmt.Sprint(i), Text: text, End: len(text)}})
	}
	final, err := p.Run(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Check(final)
}
