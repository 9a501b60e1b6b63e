package obligation_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/assay/memory/obligation"
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
		quote, stem := c.whole[x.Quote.Start:x.Quote.End], c.whole[x.Stem.Start:x.Stem.End]
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

func FuzzFit(f *testing.F) {
	f.Add("A keeper must:\n(a) do;\n(b) "+strings.Repeat("go on, ", 60)+".", 17, 400)
	f.Add("“x” shall\xff", 0, 9)
	m, err := obligation.Default()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, whole string, start, end int) {
		if start < 0 || end > len(whole) || start > end {
			t.Skip()
		}
		x := obligation.Fit(whole, text.Span{Start: start, End: end})
		if x.Quote.Start < 0 || x.Quote.End > len(whole) || x.Quote.Start > x.Quote.End || x.Stem.Start < 0 || x.Stem.End > x.Quote.Start && x.Stem.End != 0 {
			t.Fatalf("%+v", x)
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
