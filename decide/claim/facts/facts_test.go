package facts

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/internal/racetest"
	"example.com/assay/state"
)

func everything(t testing.TB) (evidence, claims []string) {
	t.Helper()
	for _, name := range []string{"pairs.jsonl", "benign.jsonl"} {
		for _, f := range fixturesOf(t, name) {
			evidence = append(evidence, f.Evidence...)
			claims = append(claims, f.Claim)
			if f.Changed != "" {
				claims = append(claims, f.Changed)
			}
		}
	}
	return evidence, claims
}

// What the evidence says word for word has no conflict with it, alone or among
// other sentences, whole or without its last full stop.
func TestVerbatim(t *testing.T) {
	evidence, _ := everything(t)
	together := Prepare(evidence)
	for _, s := range evidence {
		for _, claim := range []string{s, strings.TrimRight(s, "."), "“" + s + "”", strings.ToUpper(s)} {
			if got := Compare(claim, []string{s}); len(got) > 0 {
				t.Errorf("%q against itself: %+v", claim, got)
			}
		}
		if r := together.Check(s); len(r.Conflicts) > 0 {
			t.Errorf("%q among others: %+v", s, r)
		}
	}
}

// Neither has a clause of the evidence.
func TestClauseIsVerbatim(t *testing.T) {
	for claim, evidence := range map[string]string{
		"The valve opens at noon":         "The pump stops, and the valve opens at noon.",
		"the tenant must return the keys": "The landlord returns the deposit and the tenant must return the keys.",
		"the guests may smoke outside":    "Nobody smokes in the hall, but the guests may smoke outside.",
	} {
		if got := Compare(claim, []string{evidence}); len(got) > 0 {
			t.Errorf("%q in %q: %+v", claim, evidence, got)
		}
	}
}

// Claims checked at the same time, with any number of processors and in any
// order, come to the same.
func TestConcurrent(t *testing.T) {
	evidence, claims := everything(t)
	ev := Prepare(evidence)
	want := make([]Result, len(claims))
	for i, c := range claims {
		want[i] = ev.Check(c)
	}
	for _, procs := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		got := make([]Result, len(claims))
		again := Prepare(evidence)
		var wg sync.WaitGroup
		for i := range claims {
			wg.Go(func() { got[len(claims)-1-i] = again.Check(claims[len(claims)-1-i]) })
		}
		wg.Wait()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("with %d processors: other results", procs)
		}
	}
}

func TestPlaces(t *testing.T) {
	evidence, claims := everything(t)
	ev := Prepare(evidence)
	for _, c := range claims {
		checkPlaces(t, c, evidence, ev.Check(c))
	}
}

// checkPlaces holds that a conflict's words are the bytes that it names.
func checkPlaces(t *testing.T, claim string, evidence []string, r Result) {
	t.Helper()
	for _, c := range r.Conflicts {
		if claim[c.Start:c.End] != c.Claim {
			t.Fatalf("%q: %q is not at %d to %d", claim, c.Claim, c.Start, c.End)
		}
		switch {
		case c.Sentence < 0:
			if c.Evidence != "" || c.Opposed {
				t.Fatalf("%q: %+v has no sentence", claim, c)
			}
		case evidence[c.Sentence][c.EvidenceStart:c.EvidenceEnd] != c.Evidence || c.Evidence == "":
			t.Fatalf("%q: %q is not at %d to %d of sentence %d", claim, c.Evidence, c.EvidenceStart, c.EvidenceEnd, c.Sentence)
		}
	}
}

func TestNothing(t *testing.T) {
	for _, r := range []Result{Prepare(nil).Check("The fee is 40 euros."), Prepare([]string{"The fee is 40 euros."}).Check(""),
		Prepare([]string{"", " ", "\xff"}).Check("\xff")} {
		if len(r.Conflicts) > 0 {
			t.Errorf("%+v", r)
		}
	}
}

// A claim or a sentence without end takes no time without end.
func TestLongInput(t *testing.T) {
	for _, unit := range []string{"a", "not ", "1", "5 euros and ", "A", "Ab ", "no more than ", "a-", "one hundred ", "12 March 2024, ", "more than ", "“", "un", "\xff", "must ", "(", "Dr. J. "} {
		s := strings.Repeat(unit, 200_000/len(unit))
		start := time.Now()
		r := Prepare([]string{s, "The fee is 40 euros."}).Check("Never " + s)
		checkPlaces(t, "Never "+s, []string{s, "The fee is 40 euros."}, r)
		if took := time.Since(start); took > 5*racetest.Slower*time.Second {
			t.Errorf("%q took %v", unit, took)
		} else if testing.Verbose() {
			t.Logf("%q: %v, %d conflicts", unit, took, len(r.Conflicts))
		}
	}
}

func TestOtherScripts(t *testing.T) {
	tests := []struct {
		evidence, claim string
		want            []state.ConflictKind
	}{
		{"费用为 50 欧元。", "费用为 50 欧元。", nil},
		{"费用为 50 欧元。", "费用为 70 欧元。", []state.ConflictKind{state.ConflictNumber}},
		{"Сбор составляет 50 евро.", "Сбор составляет 70 евро.", []state.ConflictKind{state.ConflictNumber}},
		{"الرسوم 50 يورو.", "الرسوم 50 يورو.", nil},
	}
	for _, test := range tests {
		if got := kinds(Prepare([]string{test.evidence}).Check(test.claim).Conflicts); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q against %q: %v, want %v", test.claim, test.evidence, got, test.want)
		}
	}
}

// A passage may end anywhere in a sentence.
func TestCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("it only computes, and takes long")
	}
	texts := []string{"The term of three (3) years ends in Q3 of 12.12.2012, at 1/2 of 5 kg per day, one of $5m.", "Between 3 and 5 % of the (twenty-) first-class rooms must not cost more than £7 a night."}
	for _, x := range fixturesOf(t, "pairs.jsonl") {
		texts = append(texts, x.Changed, x.Evidence[0])
	}
	for _, text := range texts {
		for at := range text {
			cut := text[:at]
			checkPlaces(t, text, []string{cut}, Prepare([]string{cut}).Check(text))
			checkPlaces(t, cut, []string{text}, Prepare([]string{text}).Check(cut))
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, x := range fixturesOf(f, "pairs.jsonl") {
		f.Add(x.Changed, x.Evidence[0])
	}
	f.Add("It costs two EUR 3rd.", "It costs 40 EUR 50.")
	f.Add("1/2000-3 (5 kg) \xff", "Q3 “’s 1990's 12.12.2012 $5m £")
	f.Fuzz(func(t *testing.T, claim, evidence string) {
		checkPlaces(t, claim, []string{evidence, "A fee."}, Prepare([]string{evidence, "A fee."}).Check(claim))
		if got := Compare(evidence, []string{evidence}); len(got) > 0 && len(lex(evidence, newLexicon(""))) > 2 {
			t.Errorf("%q against itself: %+v", evidence, got)
		}
	})
}

func TestBounds(t *testing.T) {
	const direction = state.ConflictDirection
	tests := []struct {
		evidence, claim string
		want            []state.ConflictKind
	}{
		{"Notice of at least thirty days is required.", "Notice of no less than 30 days is required.", nil},
		{"Notice of at least thirty days is required.", "Notice of at most thirty days is required.", []state.ConflictKind{direction}},
		{"No more than 5 visitors enter the cave.", "At most five visitors enter the cave.", nil},
		{"No more than 5 visitors enter the cave.", "More than 5 visitors enter the cave.", []state.ConflictKind{direction}},
		{"The beam must not be loaded above 2 tonnes.", "The beam must not be loaded with more than 2 tonnes.", nil},
		{"The dose must not exceed 5 mg.", "The dose is at most 5 mg.", nil},
	}
	for _, test := range tests {
		if got := kinds(Prepare([]string{test.evidence}).Check(test.claim).Conflicts); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q against %q: %v, want %v", test.claim, test.evidence, got, test.want)
		}
	}
}

// What the evidence has nothing of, and what it says otherwise, are told apart.
func TestOpposed(t *testing.T) {
	tests := []struct {
		evidence, claim string
		opposed         bool
	}{
		{"The permit is valid for five years.", "The permit is valid for seven years.", true},
		{"The permit is issued by the harbour office.", "The permit is issued within seven days.", false},
		{"The mill was sold by Quellmar Ltd.", "The mill was sold by Tarnhelm Ltd.", true},
		{"The mill was sold after a fire.", "The mill was sold to Halvard Moe.", false},
		{"The inspector may enter.", "The inspector must enter.", true},
		{"Sleep loss may cause errors.", "Sleep loss causes errors.", false},
		{"Permits fell in 2021.", "Permits rose in 2021.", true},
	}
	for _, test := range tests {
		r := Prepare([]string{test.evidence}).Check(test.claim)
		if len(r.Conflicts) == 0 || isOpposed(r) != test.opposed {
			t.Errorf("%q against %q: %+v, want opposed %v", test.claim, test.evidence, r.Conflicts, test.opposed)
		}
	}
}

// The number of a clause is no amount, one that stands twice is one, and what is
// denied is not exchanged for what is asserted.
func TestContractLanguage(t *testing.T) {
	clauses := []string{
		"5. No Licence.", "Nothing in this agreement gives a right in a patent.",
		"The agreement remains in effect for a period of three (3) years.", "Samples are lent and not sold.",
		"The courts of the State of Maine decide what the two cannot settle.", "Tallow is a company of the State of Ohio.",
	}
	for claim, want := range map[string][]state.ConflictKind{
		"The agreement remains in effect for three (3) years.":               nil,
		"The agreement remains in effect for three years.":                   nil,
		"The agreement remains in effect for five (5) years.":                {state.ConflictNumber},
		"The agreement remains in effect for 5 years.":                       {state.ConflictNumber},
		"Samples are lent, not sold.":                                        nil,
		"Samples are not sold but lent.":                                     nil,
		"Samples are sold and not lent.":                                     {state.ConflictNegation},
		"The courts of the State of Maine decide.":                           nil,
		"The courts of the State of Ohio decide what the two cannot settle.": {state.ConflictName},
	} {
		if got := kinds(Prepare(clauses).Check(claim).Conflicts); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", claim, got, want)
		}
	}
}

// isOpposed reports whether the evidence says the contrary of a part of the claim.
func isOpposed(r Result) bool {
	return slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return c.Opposed })
}
