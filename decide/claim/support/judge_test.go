package support

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// harbour is evidence that the project wrote for its tests.
var harbour = []Source{
	{Title: "Port of Brennick", Section: "Moorings", Text: "The harbour office of Brennick was founded in 1884 by the pilot Orla Finn. A mooring costs two crowns a week in winter and 3.50 crowns in summer. Fishing boats may not use the northern quay between May and September."},
	{Title: "Port of Brennick", Section: "Lights", Text: "The beacon on the eastern mole was built of granite. It has been tended by volunteers of the Sea Rescue Society (SRS) since 1931.\n\nIt is not true that the beacon was moved to Westhaven."},
}

func shippedModel(t testing.TB) *Model {
	t.Helper()
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestJudge(t *testing.T) {
	e := shippedModel(t).PrepareSources(harbour)
	for _, tt := range []struct {
		name, claim string
		want        state.ClaimStatus
		copied      bool
		missing     []string
		numbers     []string
	}{
		{name: "copied", claim: "The harbour office of Brennick was founded in 1884 by the pilot Orla Finn.", want: state.Supported, copied: true},
		{name: "copied in part", claim: "a mooring costs two crowns a week", want: state.Supported, copied: true},
		{name: "in other words' order", claim: "Orla Finn, a pilot, founded the harbour office of Brennick in 1884.", want: state.Supported},
		{name: "a number in words", claim: "In winter a mooring costs 2 crowns a week.", want: state.Supported},
		{name: "an acronym", claim: "The SRS has tended the beacon since 1931.", want: state.Supported},
		{name: "nothing of the kind", claim: "Helicopters deliver parcels to the lighthouse keeper's daughter every Tuesday.", want: state.Unsupported,
			missing: []string{"Helicopters", "deliver", "parcels", "keeper's", "daughter", "every", "Tuesday"}},
		{name: "another number", claim: "The harbour office of Brennick was founded in 1902 by the pilot Orla Finn.", numbers: []string{"1902"}},
		{name: "another name", claim: "The harbour office of Brennick was founded in 1884 by the pilot Ulrich Vane.", missing: []string{"Ulrich", "Vane"}},
		{name: "no content", claim: "It was so.", want: state.Unsupported},
		{name: "empty", claim: "", want: state.Unsupported},
		{name: "another script", claim: "港務局成立於一八八四年", want: state.Unsupported, missing: []string{"港務局成立於一八八四年"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := e.Judge(tt.claim)
			if tt.want != "" && got.Status != tt.want || got.Copied != tt.copied {
				t.Errorf("status %s (balanced %.3f), copied %v; want %s, %v", got.Status, got.Balanced, got.Copied, tt.want, tt.copied)
			}
			if diff := cmp.Diff(tt.missing, got.Missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.numbers, got.Numbers); diff != "" {
				t.Errorf("numbers (-want +got):\n%s", diff)
			}
		})
	}
}

// What a sentence denies, doubts or supposes is not copied from it.
func TestCopiedInContext(t *testing.T) {
	m := shippedModel(t)
	const claim = "the beacon was moved to Westhaven"
	for frame, want := range map[string]bool{
		"In 1931 %.":               true,
		"It is not true that %.":   false,
		"It didn't matter that %.": false,
		"Perhaps %.":               false,
		"Nobody knows whether %.":  false,
		"It is alleged that %.":    false,
	} {
		e := m.Prepare([]string{strings.Replace(frame, "%", claim, 1)})
		if got := e.Judge(claim).Copied; got != want {
			t.Errorf("%q: copied %v, want %v", frame, got, want)
		}
	}
}

// A change that takes words of the claim out of the evidence never raises the
// score.
func TestWorseClaims(t *testing.T) {
	e := shippedModel(t).PrepareSources(harbour)
	for _, tt := range [][2]string{
		{"Orla Finn, a pilot, founded the harbour office of Brennick in 1884.", "Ulrich Vane, a pilot, founded the harbour office of Brennick in 1884."},
		{"Orla Finn, a pilot, founded the harbour office of Brennick in 1884.", "Orla Finn, a pilot, founded the harbour office of Brennick in 1917."},
		{"Volunteers have tended the granite beacon since 1931.", "Prisoners have tended the granite beacon since 1931."},
		{"In summer a mooring costs 3.50 crowns.", "In summer a mooring costs 4.75 crowns."},
		{"The beacon stands on the eastern mole.", "The foghorn stands on the eastern mole."},
	} {
		better, worse := e.Judge(tt[0]), e.Judge(tt[1])
		if worse.Balanced >= better.Balanced {
			t.Errorf("%q scores %.3f, and %q scores %.3f", tt[0], better.Balanced, tt[1], worse.Balanced)
		}
	}
}

// Every sentence of the evidence is supported by the evidence.
func TestOwnSentences(t *testing.T) {
	m := shippedModel(t)
	e := m.PrepareSources(harbour)
	for _, src := range harbour {
		for _, s := range Sentences(src.Text) {
			if got := e.Judge(s); got.Status != state.Supported || got.P < .9 {
				t.Errorf("%q: %+v", s, got)
			}
		}
	}
}

func TestPlaces(t *testing.T) {
	sources := slices.Clone(harbour)
	sources[1].Skip = []text.Span{{Start: 0, End: 10}}
	e := shippedModel(t).PrepareSources(sources)
	got := e.Judge("Volunteers of the rescue society have tended it since 1931.")
	if len(got.Best) == 0 {
		t.Fatalf("nothing carries it: %+v", got)
	}
	p, ok := e.Place(got.Best[0])
	if !ok || !strings.HasPrefix(sources[p.Source].Text[p.Start:p.End], "It has been tended") {
		t.Errorf("place %+v, %v", p, ok)
	}
	if got := e.Judge("The beacon on the eastern mole was built of granite."); got.Copied {
		t.Error("a sentence that is to be skipped was used")
	}
	if got := e.Judge("Port of Brennick."); len(got.Best) == 1 {
		if _, ok := e.Place(got.Best[0]); ok {
			t.Error("a title has a place")
		}
	}
	for _, n := range []int{-1, 1 << 20} {
		if _, ok := e.Place(n); ok {
			t.Errorf("sentence %d has a place", n)
		}
	}
}

// Evidence without a word supports nothing, not even a claim without one.
func TestNoEvidence(t *testing.T) {
	m := shippedModel(t)
	for _, sentences := range [][]string{nil, {""}, {"…", "—"}} {
		for _, claim := range []string{"", "The beacon is of granite.", "…"} {
			if got := m.Prepare(sentences).Judge(claim); got.Status != state.Unsupported || got.P != 0 {
				t.Errorf("%q against %q: %+v", claim, sentences, got)
			}
		}
	}
}

// A claim of a megabyte is judged, and soon.
func TestLongClaim(t *testing.T) {
	e := shippedModel(t).PrepareSources(harbour)
	for name, claim := range map[string]string{
		"different words": strings.Repeat("mooring granite Westhaven 1884 beacon volunteers ", 20_000),
		"one word":        strings.Repeat("crowns ", 150_000),
		"no space":        strings.Repeat("x", 1<<20),
	} {
		if got := e.Judge(claim); got.Status == state.Supported {
			t.Errorf("%s: %s", name, got.Status)
		}
	}
	long := shippedModel(t).Prepare([]string{strings.Repeat("crowns ", 150_000)})
	long.Judge(strings.Repeat("crowns ", 200) + "moorings")
}

// Judgements do not depend on who else judges, or on how many processors.
func TestParallel(t *testing.T) {
	claims := []string{"The SRS has tended the beacon since 1931.", "Fishing boats may use the northern quay in June.", "Moorings cost less in winter than in summer."}
	want := make([]Judgement, len(claims))
	e := shippedModel(t).PrepareSources(harbour)
	for i, c := range claims {
		want[i] = e.Judge(c)
	}
	for _, procs := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				again := shippedModel(t).PrepareSources(harbour)
				for i, c := range claims {
					for _, ev := range []*Evidence{e, again} {
						if diff := cmp.Diff(want[i], ev.Judge(c)); diff != "" {
							t.Errorf("%q with %d processors (-want +got):\n%s", c, procs, diff)
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("The beacon was moved.", "Beacons", "The beacon on the eastern mole was built of granite. It was never moved.")
	f.Add("3.5 % of the U.S. fleet, i.e. 1,000 boats — sank", "", "Semi-finals, d'état and l'assassin’s 2nd Jan. NASM")
	f.Add("\xff\xfe", "\xff", "\xc3")
	f.Add("É́", "a", "é - é-É")
	m, err := Default()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, claim, title, source string) {
		e := m.PrepareSources([]Source{{Title: title, Text: source}, {Title: title, Section: claim, Text: claim + ". " + source}})
		for _, c := range []string{claim, title, source} {
			got := e.Judge(c)
			if !(got.P >= 0 && got.P <= 1 && got.Balanced >= 0 && got.Balanced <= 1) || len(got.Best) > 3 {
				t.Errorf("%q: %+v", c, got)
			}
			for _, w := range append(slices.Clone(got.Missing), got.Numbers...) {
				if !strings.Contains(c, w) {
					t.Errorf("%q is missing from %q, which does not hold it", w, c)
				}
			}
			for _, at := range got.Best {
				if p, ok := e.Place(at); ok && (p.Start >= p.End || p.End > len([]string{source, claim + ". " + source}[p.Source])) {
					t.Errorf("place %+v", p)
				}
			}
		}
	})
}

// Words of several documents do not add up to a claim that none of them makes.
func TestReadOneDocument(t *testing.T) {
	const said = "A letter with a curriculum vitae is enclosed with the application for the workshop."
	read := func(docs ...string) Reading {
		got, err := Read(said, []Source{
			{Doc: docs[0], Text: "Send a letter with a curriculum vitae to the workshop."},
			{Doc: docs[1], Text: "The application is lodged in October; a plan of the pier is enclosed."},
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	together, apart := read("a", "a"), read("a", "b")
	if len(together.Quotes) != 2 || together.Status != state.Supported {
		t.Errorf("of one document: %+v", together)
	}
	if apart.Confidence >= together.Confidence || len(apart.Quotes) != 1 || !strings.Contains(apart.Reason, "“enclosed”") {
		t.Errorf("of two documents: %+v", apart)
	}
}

// A document that only its title speaks for is no better than one with a sentence.
func TestReadSentenceBeforeTitle(t *testing.T) {
	got, err := Read("The harbour closes at nine in the evening.", []Source{
		{Doc: "a", Title: "The harbour closes at nine in the evening", Text: "Boats and nets are for sale."},
		{Doc: "b", Text: "Each evening the harbour closes at nine."},
	})
	if err != nil || got.Status != state.Supported || len(got.Quotes) != 1 || got.Quotes[0].Source != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
