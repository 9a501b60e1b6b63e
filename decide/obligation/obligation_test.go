package obligation_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/assay/decide/obligation"
	"example.com/assay/memory/text"
)

func model(t testing.TB) *obligation.Model {
	t.Helper()
	m, err := obligation.Default()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRead(t *testing.T) {
	m := model(t)
	for sentence, want := range map[string]struct{ duty, explicit bool }{
		"A keeper must log every visit.":                              {true, true},
		"Providers shall keep\nrecords of care.":                      {true, true},
		"Visitors may not enter the engine room.":                     {true, true},
		"No harbour guide may enter the engine room.":                 {true, true},
		"The board must consider the age of the applicant.":           {true, true},
		"The board may consider the age of the applicant.":            {false, false},
		"The council would expect a builder to tell the neighbours.":  {true, true},
		"A loan may be granted only where an income is shown.":        {true, true},
		"A carrier without a card is in breach of this chapter.":      {true, true},
		"The clerk is responsible for ensuring that minutes are kept": {true, true},
		"Fees are to be paid before the permit is handed out.":        {true, true},
		"3. Report each fall to the nurse within the hour.":           {true, false},
		"The harbour office should be open on market days.":           {true, false},
		"Report writing has a long history in the county.":            {false, false},
		"Visitors may enter the garden at any time.":                  {false, false},
		"Owners are not required to register cats.":                   {false, false},
		"It is recommended that owners register young dogs.":          {false, false},
		"The line started with one telephone in the library.":         {false, false},
		"What must a keeper store?":                                   {false, true},
		"  \n":                                                        {false, false},
	} {
		if r := m.Read(sentence); r.Obligation != want.duty || r.Explicit != want.explicit && r.Obligation {
			t.Errorf("%q: %+v; want %+v", sentence, r, want)
		}
	}
	if r := m.Read(`In this part "vessel" shall mean any boat.`); !r.Defines {
		t.Error("a definition is not told")
	}
}

func at(t testing.TB, whole, part string) text.Span {
	t.Helper()
	i := strings.Index(whole, part)
	if i < 0 {
		t.Fatalf("%q is not in %q", part, whole)
	}
	return text.Span{Start: i, End: i + len(part)}
}

func TestFit(t *testing.T) {
	long := "If the level of the river rises above the mark at the old mill, and nobody has told the guard before noon, the lock keeper shall close the gate at once, unless the council has ordered otherwise, and shall write the time of it into the book that hangs at the door of the office."
	list := "A provider of care in the county must:\n\n(a) offer help;\n(b) note the language of the client and of the family in full on the first page of the file, with the date and the name of the clerk who asked for it;\n(c) repeat it."
	for _, c := range []struct {
		whole, sentence, quote, stem string
		cut, limited                 bool
	}{
		{"Every keeper must log the visits of all guests by hand. More.", "Every keeper must log the visits of all guests by hand.", "Every keeper must log the visits of all guests by hand.", "", false, false},
		{"Short rules must hold. Next.", "Short rules must hold.", "Short rules must hold.", "", false, false},
		{list, "(a) offer help;", "A provider of care in the county must:\n\n(a) offer help;", "", false, false},
		{list, "(c) repeat it.", "(c) repeat it.", "A provider of care in the county must:", false, false},
		{long, long, "the lock keeper shall close the gate at once, unless the council has ordered otherwise, and shall write the time of it into the book", "", true, false},
	} {
		x := obligation.Fit(c.whole, at(t, c.whole, c.sentence))
		quote, stem := c.whole[x.Quote.Start:x.Quote.End], stemsIn(c.whole, x)
		if c.cut {
			n := obligation.Words(quote)
			if !x.Cut || x.Limited != c.limited || n > obligation.MostWords || n < obligation.LeastWords || !strings.Contains(quote, "shall close the gate") {
				t.Errorf("%+v is %q", x, quote)
			}
			continue
		}
		if quote != c.quote || stem != c.stem || x.Cut {
			t.Errorf("%q: quote %q, stem %q, %+v", c.sentence, quote, stem, x)
		}
	}
}

func stemsIn(whole string, x obligation.Excerpt) string {
	var out []string
	for _, s := range x.Stems {
		out = append(out, whole[s.Start:s.End])
	}
	return strings.Join(out, " | ")
}

// What an item of a list, or a sentence that leans on another, needs before it.
func TestFitStems(t *testing.T) {
	nested := `A keeper of the harbour must, for each boat that stays the night:
(a) keep in the book of the office:
(i) the name of the boat and that of its master;
(ii) the hour at which it came, and for each passenger who has gone ashore:
(A) the name that the passenger gave to the clerk; and
(B) the hour at which the passenger is expected back on board;
(b) ensure that the lamp burns until dawn; and
(c) tell the office at once of each boat that:
(i) has lost its light; or
(ii) leaves without leave.`
	dash := "Where the clerk has heard the master, the clerk must decide—\n(1) whether the boat may stay at the quay for another night at the same rate; and\n(2) Whether the fee that the master has paid is returned in full, in part, or not at all to the owner."
	prose := "All keys of the store should be kept in the iron safe of the office. They must be counted by two clerks every Friday before noon."
	capital := "A club must name, before the first race of the season:\n1. A person who looks after the boats and who has passed the test of the harbour office;\n2. A person who rings the bell.\n\nThe bell is old.\n\n3. Ring the bell at noon."
	for _, c := range []struct{ name, whole, sentence, stems string }{
		{"first of a nested list", nested, "(i) the name of the boat and that of its master;",
			""}, // short enough to be quoted from the outermost lead-in
		{"third level", nested, "(B) the hour at which the passenger is expected back on board;",
			"A keeper of the harbour must, for each boat that stays the night: | (a) keep in the book of the office: | (ii) the hour at which it came, and for each passenger who has gone ashore:"},
		{"back on the first level", nested, "(b) ensure that the lamp burns until dawn; and", "A keeper of the harbour must, for each boat that stays the night:"},
		{"the second inner list", nested, "(ii) leaves without leave.", "A keeper of the harbour must, for each boat that stays the night: | (c) tell the office at once of each boat that:"},
		{"a dash leads in", dash, "(2) Whether the fee that the master has paid is returned in full, in part, or not at all to the owner.", "Where the clerk has heard the master, the clerk must decide—"},
		{"a pronoun leans", prose, "They must be counted by two clerks every Friday before noon.", "All keys of the store should be kept in the iron safe of the office."},
		{"nothing leans", prose, "All keys of the store should be kept in the iron safe of the office.", ""},
		{"items in capitals", capital, "2. A person who rings the bell.", "A club must name, before the first race of the season:"},
	} {
		x := obligation.Fit(c.whole, at(t, c.whole, c.sentence))
		if got := stemsIn(c.whole, x); got != c.stems {
			t.Errorf("%s: stems %q; want %q", c.name, got, c.stems)
		}
		if quote := c.whole[x.Quote.Start:x.Quote.End]; c.stems == "" && c.name[0] == 'f' && !strings.HasPrefix(quote, "A keeper of the harbour must") {
			t.Errorf("%s: the quote %q does not begin at its stem", c.name, quote)
		}
	}
	if x := obligation.Fit(nested[strings.Index(nested, "(b)"):], text.Span{Start: 0, End: 20}); len(x.Stems) > 0 {
		t.Errorf("an item whose list begins elsewhere has the stems %v", x.Stems)
	}
}

func TestPlaceholders(t *testing.T) {
	for s, want := range map[string]int{
		"[Placeholder: rate\nto be set]": 1, "The fee is TBD.": 1, "The date is to be determined.": 1, "[to be completed]": 1, "{{rate}}": 1,
		"See [Source 1] and [REQ-S001].": 0, "A tablet is to be taken daily.": 0, "The stub dates from 1962.": 0,
	} {
		if got := obligation.Placeholders(s); len(got) != want {
			t.Errorf("%q: %v; want %d", s, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for quote, want := range map[string]bool{
		"Every keeper must log visits.": true, "It must be done at once.": false, "They shall report.": false, "keep records for years": false,
		"A keeper must:": false, "(b) Record the time of arrival.": true, "the keeper must log all visits": true, "when it must be logged": false, "": false,
	} {
		if got := obligation.Complete(quote, false); got != want {
			t.Errorf("%q: %v", quote, got)
		}
	}
	if !obligation.Complete("keep records for years", true) {
		t.Error("an item with its stem is incomplete")
	}
}

func TestNewRefusesOtherFeatures(t *testing.T) {
	if _, err := obligation.New(obligation.Weights{Features: []obligation.Feature{{Name: "x"}}}); err == nil {
		t.Error("weights of one feature were taken")
	}
}

// FuzzFit runs some ten thousand texts a second with -fuzzminimizetime=1x; without
// it the fuzzer spends its time on making what it finds shorter.
func FuzzFit(f *testing.F) {
	f.Add("A keeper must:\n(a) do;\n(b) "+strings.Repeat("a, ", 42)+".", 17, 150)
	f.Add("“x” shall\xff", 0, 9)
	m, err := obligation.Default()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, whole string, start, end int) {
		if start < 0 || end > len(whole) || start > end {
			t.Skip("no span of the text")
		}
		x := obligation.Fit(whole, text.Span{Start: start, End: end})
		before := 0
		for _, s := range append(slices.Clone(x.Stems), x.Quote) {
			if s.Start < before || s.End < s.Start || s.End > len(whole) {
				t.Fatalf("%+v", x)
			}
			before = s.End
		}
		if utf8.ValidString(whole) && validBorders(whole, start, end) && !utf8.ValidString(whole[x.Quote.Start:x.Quote.End]) {
			t.Fatalf("a character is cut: %q", whole[x.Quote.Start:x.Quote.End])
		}
		obligation.Placeholders(whole)
		m.Read(whole)
	})
}

func validBorders(s string, start, end int) bool {
	return (start == len(s) || utf8.RuneStart(s[start])) && (end == len(s) || utf8.RuneStart(s[end]))
}

func TestSubject(t *testing.T) {
	for question, want := range map[string]string{
		"What is required for keys?":                            "keys",
		"Which obligations apply to ladders?":                   "ladders",
		"What are the key requirements for ladders?":            "ladders",
		"How must key cabinets be locked?":                      "key cabinets locked",
		"How long must a keeper store the records?":             "keeper store records",
		"What does the law say?":                                "law",
		"What is required?":                                     "required",
		"What steps must a keeper take in a particular case?":   "keeper particular case",
		"Who may enter the store, and who may lock the store? ": "enter store lock",
		"": "",
	} {
		var got []string
		for _, w := range obligation.Subject(question) {
			got = append(got, question[w.Start:w.End])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is about %q, want %q", question, got, want)
		}
	}
}
