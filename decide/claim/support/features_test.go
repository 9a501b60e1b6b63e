package support

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string // low:stem
	}{
		{"The pilots' boats", []string{"the:the", "pilots:pilot", "boats:boat"}},
		{"1,000 boats, 3.50 crowns, 12 %", []string{"1000:1000", "boats:boat", "3.50:3.50", "crowns:crown", "12:12", "percent:percent"}},
		{"U.S. fleet's second", []string{"us:us", "fleet:fleet", "second:second"}},
		{"On Dec. 2nd, two or twenty", []string{"on:on", "dec:decemb", "2nd:2", "two:2", "or:or", "twenty:20"}},
		{"he may come in May", []string{"he:he", "may:may", "come:come", "in:in", "may:may"}},
		{"Hygiène d'état", []string{"hygiene:hygien", "etat:etat"}},
		{"", nil},
		{" … — \xff", nil},
	} {
		var got []string
		for _, w := range newLexer().words(tt.text) {
			got = append(got, w.low+":"+w.stem)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestWordKinds(t *testing.T) {
	words := newLexer().words("Orla Finn's 1884 semi-final for NASM, however, never fell about")
	var got []string
	for _, w := range words {
		kind := ""
		for _, k := range []struct {
			name string
			is   bool
		}{{"capital", w.capital}, {"number", w.number}, {"joined", w.joined}, {"acronym", w.acronym}, {"stop", w.stop}, {"light", w.light}, {"negates", w.negates}, {"hedges", w.hedges}, {"less", w.sign < 0}} {
			if k.is {
				kind += " " + k.name
			}
		}
		got = append(got, w.low+kind)
	}
	want := []string{"orla", "finn capital", "1884 number", "semi", "final joined", "for stop", "nasm capital acronym", "however light", "never negates", "fell less", "about stop hedges"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Coverage, windows and sequences against a version that only counts.
func TestFeaturesOracle(t *testing.T) {
	m := shippedModel(t)
	evidence := []string{
		"The beacon on the eastern mole was built of granite.",
		"Volunteers tended it.",
		"A storm broke the beacon.",
		"Nothing else happened.",
		"The eastern quay flooded, and volunteers left.",
	}
	e := m.Prepare(evidence)
	for _, claim := range []string{
		"Volunteers built the eastern beacon of granite.",
		"A storm broke the eastern quay before lunch.",
		"Granite beacon, granite beacon.",
	} {
		f := e.Features(claim)
		got := map[string]float64{}
		for i, name := range FeatureNames() {
			got[name] = f[i]
		}
		want := map[string]float64{}
		terms, mass := distinct(m, claim)
		sets := make([]map[string]bool, len(evidence))
		for i, s := range evidence {
			sets[i] = map[string]bool{}
			for _, w := range newLexer().words(s) {
				sets[i][w.stem] = true
			}
		}
		held := func(from, to int) float64 {
			sum := 0.0
			for _, t := range terms {
				if slices.ContainsFunc(sets[from:to], func(set map[string]bool) bool { return set[t.stem] }) {
					sum += t.idf
				}
			}
			return sum / mass
		}
		want["cov_all"] = held(0, len(sets))
		for i := range sets {
			want["best"] = math.Max(want["best"], held(i, i+1))
			want["window3"] = math.Max(want["window3"], held(i, min(i+3, len(sets))))
		}
		want["window8"] = want["cov_all"]
		for name, v := range want {
			if math.Abs(got[name]-v) > 1e-9 {
				t.Errorf("%q: %s is %.6f, want %.6f", claim, name, got[name], v)
			}
		}
	}
}

func distinct(m *Model, claim string) ([]term, float64) {
	var out []term
	mass := 0.0
	for _, w := range newLexer().words(claim) {
		if w.stop || slices.ContainsFunc(out, func(t term) bool { return t.stem == w.stem }) {
			continue
		}
		idf := m.idf.Of(w.stem)
		if w.light {
			idf *= lightWeight
		}
		mass += idf
		out = append(out, term{word: w, idf: idf})
	}
	return out, mass
}

func TestSubsequence(t *testing.T) {
	ids := func(s string) []int32 {
		var out []int32
		for _, r := range s {
			out = append(out, r)
		}
		return out
	}
	for _, tt := range []struct {
		a, b string
		want int
	}{{"abcbdab", "bdcaba", 4}, {"", "abc", 0}, {"abc", "abc", 3}, {"abc", "cba", 1}} {
		if got := subsequence(ids(tt.a), ids(tt.b)); got != tt.want {
			t.Errorf("%q and %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestDice(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{{"beacon", "beacon", 1}, {"beacon", "beagle", 2. / 8}, {"abc", "xyz", 0}, {"ab", "ab", 0}, {"aaaa", "aaa", 2. / 3}} {
		if got := dice(tt.a, tt.b); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNewRefusesOtherWeights(t *testing.T) {
	m := shippedModel(t)
	if _, err := New(m.weights, m.idf[:10]); err == nil || !strings.Contains(err.Error(), "run the training command again") {
		t.Errorf("a short table: %v", err)
	}
	w := m.weights
	w.Term.Features = w.Term.Features[1:]
	if _, err := New(w, m.idf); err == nil || !strings.Contains(err.Error(), "weights of the term") {
		t.Errorf("a feature less: %v", err)
	}
}

// What counts as found, though the evidence writes it differently.
func TestCounterparts(t *testing.T) {
	e := shippedModel(t).Prepare([]string{"The National Air and Space Museum showed a semi-final of co-pilots in a lighthouse, the firm said."})
	for word, want := range map[string]float64{
		"NASM":        likeAcronym, // initials, function words left out
		"NATO":        0,
		"semifinals":  1, // one word for two with a hyphen
		"copilot":     1,
		"light-house": 1, // and the other way round
		"company":     likeSynonym,
		"zebra":       0,
	} {
		terms := e.read("The " + word).terms
		if len(terms) == 0 || terms[0].soft != want {
			t.Errorf("%s: %+v, want likeness %v", word, terms, want)
		}
	}
	light, heavy := e.read("the however").terms[0], e.read("the lantern").terms[0]
	if full := e.model.idf.Of(light.stem); light.idf != full*lightWeight || heavy.idf != e.model.idf.Of(heavy.stem) {
		t.Errorf("however weighs %v of %v, lantern %v", light.idf, full, heavy.idf)
	}
}
