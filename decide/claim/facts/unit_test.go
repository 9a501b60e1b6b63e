package facts

import (
	"strings"
	"testing"
	"time"

	"example.com/assay/internal/racetest"
	"example.com/assay/memory/text"
)

// No unit and no claim is too odd or too long to be read.
func FuzzRead(f *testing.F) {
	f.Add("Otters cost 62 euros.", "Course Otters; Fee: EUR 62", "", "Fees")
	f.Add("Notice is valid by e-mail at 2:30 pm.", "Notice by e-mail is not valid, except from 10+ to 3-5 p.m.", "ja", "no X but not")
	f.Add("1.5 o'clock end of May 2-", "not 12.30 a. m.: ; than", "de", "one in ten")
	f.Fuzz(func(t *testing.T, claim, said, name, context string) {
		r := NewReader(4).Read(claim, text.Language(name), []Unit{{Text: said, Context: context, Before: claim, Row: name == "", Block: true}, {Text: claim, Title: said}})
		if r.Standing != Open && (r.Unit < 0 || r.Unit > 1) {
			t.Errorf("%+v", r)
		}
	})
}

func TestReadLong(t *testing.T) {
	for _, unit := range []string{"not ", "1 ", "5 euros, and ", "except ", "2:30 pm ", "Mon to ", "than "} {
		for _, l := range []text.Language{"", "de", "ja"} {
			s := strings.Repeat(unit, 50_000/len(unit))
			start := time.Now()
			NewReader(0).Read("The fee is not 5 euros on Monday.", l, []Unit{{Text: s, Context: s, Block: true, Row: l == ""}})
			if took := time.Since(start); took > 5*racetest.Slower*time.Second {
				t.Errorf("%q took %v", unit, took)
			}
		}
	}
}

// Two words that are denied the other way round contradict, though both texts deny something.
func TestReadDeniedOtherwise(t *testing.T) {
	units := []Unit{{Text: "Samples are lent and not sold.", Block: true}}
	for claim, want := range map[string]Standing{"Samples are lent and not sold.": Shown, "Samples are sold and not lent.": Refuted} {
		if r := NewReader(4).Read(claim, "", units); r.Standing != want {
			t.Errorf("%q: %+v", claim, r)
		}
	}
}

// Another word between the same words is not the same, however much else is.
func TestReadOtherWord(t *testing.T) {
	units := []Unit{{Text: "Aoife: ok, the meeting is moved to half past seven in the library then.", Block: true}, {Text: "Ben brings lemon cake.", Block: true}}
	for claim, want := range map[string]bool{
		"The meeting is moved to half past seven in the library.":   true,
		"The meeting is moved to half past seven in the hall then.": false,
		"The meeting is moved to half past seven in the hall.":      false,
	} {
		if r := NewReader(4).Read(claim, "", units); (r.Standing == Shown) != want || !want && r.Lacks != "hall" {
			t.Errorf("%q: %+v", claim, r)
		}
	}
}

func TestReadBounds(t *testing.T) {
	for _, c := range []struct {
		claim, unit string
		want        bool
	}{
		{"Teo's contract costs 34.90 a month.", "Teo: my contract, someone takes it over. 34.90/month", true},
		{"Teo's contract costs 34.90 a month.", "Teo: my contract costs over 34.90 a month", false},
		{"The glue holds below nine degrees Celsius.", "The glue holds at temperatures colder than 9 °C.", true},
		{"The glue holds above nine degrees Celsius.", "The glue holds at temperatures colder than 9 °C.", false},
	} {
		if r := NewReader(4).Read(c.claim, "", []Unit{{Text: c.unit, Block: true}}); (r.Standing == Shown) != c.want {
			t.Errorf("%q by %q: %+v", c.claim, c.unit, r)
		}
	}
}
