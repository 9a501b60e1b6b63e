package values

import (
	"slices"
	"strings"
	"testing"
)

func all(text string, found []Found) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, f.Text(text)+" = "+f.Value)
	}
	return out
}

func TestFound(t *testing.T) {
	dates := func(s string) []Found { return Dates(s, nil) }
	us := func(s string) []Found { return Dates(s, &DateOptions{MonthFirst: true}) }
	for _, c := range []struct {
		name, text string
		find       func(string) []Found
		want       []string
	}{
		{"day first", "on 19/10/2018 20:49", dates, []string{"19/10/2018 = 2018-10-19"}},
		{"month first", "3/4/2020", us, []string{"3/4/2020 = 2020-03-04"}},
		{"day above 12", "10/19/2018 and 19/10/2018", us, []string{"10/19/2018 = 2018-10-19", "19/10/2018 = 2018-10-19"}},
		{"two digits", "12-01-19, 1.2.71", dates, []string{"12-01-19 = 2019-01-12", "1.2.71 = 1971-02-01"}},
		{"ISO", "2018-03-30", dates, []string{"2018-03-30 = 2018-03-30"}},
		{"mixed separators", "12-01/2019", dates, []string{}},
		{"longer", "1.12.01.19 12-01-19-4", dates, []string{}},
		{"no such day", "31/02/2018", dates, []string{}},
		{"named", "May 20, 2014 or 3rd of", dates, []string{"May 20, 2014 = 2014-05-20"}},
		{"day of", "this 4th day of March, 2007", dates, []string{"4th day of March, 2007 = 2007-03-04"}},
		{"in words", "the twenty-first day of June 2010", dates, []string{"twenty-first day of June 2010 = 2010-06-21"}},
		{"abbreviated", "12 MAR 18, 5-Dec-2017", dates, []string{"12 MAR 18 = 2018-03-12", "5-Dec-2017 = 2017-12-05"}},
		{"broken year", "May 20, 20 14", dates, []string{"May 20, 20 14 = 2014-05-20"}},
		{"German and French", "vom 05.11.2026, am 3. März 2026, le 1er août 2025", dates, []string{"05.11.2026 = 2026-11-05", "3. März 2026 = 2026-03-03", "1er août 2025 = 2025-08-01"}},
		{"Spanish and Italian", "el 7 de enero de 2024; 12 maggio 2023", dates, []string{"7 de enero de 2024 = 2024-01-07", "12 maggio 2023 = 2023-05-12"}},
		{"Dutch and Portuguese", "2 maart 2026, 9 de março de 2026", dates, []string{"2 maart 2026 = 2026-03-02", "9 de março de 2026 = 2026-03-09"}},
		{"Chinese", "2026年3月8日", dates, []string{"2026年3月8日 = 2026-03-08"}},
		{"no month", "12 apples 2023", dates, []string{}},
		{"amounts", "RM 1,234.50 6.00% -5.59 12.345 9.00", Amounts, []string{"RM 1,234.50 = 1234.50", "-5.59 = -5.59", "9.00 = 9.00"}},
		{"percent", "6 % and 7.5 percent", Percents, []string{"6 % = 6", "7.5 percent = 7.5"}},
		{"mail", "write to A.B@Example.org.", Mails, []string{"A.B@Example.org = a.b@example.org"}},
		{"phone", "TEL: 07-350 7405", Phones, []string{"07-350 7405 = 073507405"}},
		{"durations", "two (2) years, 18 months; a period of one year or thirty-six (36) consecutive months", Durations,
			[]string{"two (2) years = 2 years", "18 months = 18 months", "one year = 1 year", "thirty-six (36) consecutive months = 36 months"}},
		{"anniversary", "the second anniversary of", Durations, []string{"second anniversary = 2 years"}},
		{"no number", "years and months", Durations, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := all(c.text, c.find(c.text)); !slices.Equal(got, c.want) {
				t.Errorf("%q; want %q", got, c.want)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]string{
		"60.30": "60.30", "RM 1,234.50": "1234.50", "1.234,50": "1234.50", "12,50": "12.50", "1,234": "1234", "-$5": "-5",
		"(3.00)": "-3.00", "007": "7", "0.10": "0.10", "1'000.5": "1000.5", "1.234.567": "1234567", "5 %": "5", "-0": "0", "€ 9": "9",
		"": "", "abc": "", ".5": "", "1e5": "", "--": "", "$": "", "12a": "",
	} {
		if got, ok := Number(text); got != want || ok != (want != "") {
			t.Errorf("Number(%q) = %q, %v; want %q", text, got, ok, want)
		}
	}
}

// What is found lies in the text, in order and without overlaps, and reading it
// again gives the same value.
func FuzzFound(f *testing.F) {
	for _, s := range []string{"19/10/2018", "RM 1,2.00", "May 20, 2014", "two (2) years", "٣/٤/٢٠٢٠", "12-01-19 \xff 1.1.1.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, find := range []func(string) []Found{func(s string) []Found { return Dates(s, nil) }, Amounts, Numbers, Percents, Mails, Phones, Durations} {
			last := 0
			for _, v := range find(text) {
				if v.Start < last || v.End <= v.Start && v.Value != "" || v.End > len(text) || v.Value == "" {
					t.Fatalf("%+v in %q", v, text)
				}
				last = v.Start
			}
		}
		for _, d := range Dates(text, nil) {
			if again, ok := Date(d.Value, nil); !ok || again != d.Value {
				t.Fatalf("%q is read as %q", d.Value, again)
			}
		}
		if n, ok := Number(text); ok {
			if again, ok := Number(n); !ok || again != n && !strings.Contains(n, ".") {
				t.Fatalf("%q is read as %q", n, again)
			}
		}
	})
}
