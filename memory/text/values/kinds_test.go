package values

import (
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/text"
)

// Each row is a language, a text, and the values with what stands for each.
func TestKinds(t *testing.T) {
	finders := map[string]func(string, text.Language) []Found{
		"numerals": Numerals, "money": Money, "periods": Periods, "times": Times, "days": Days, "frequencies": Frequencies,
	}
	for _, row := range []struct{ kind, language, in, want string }{
		{"numerals", "en", "filed within fourteen days", "14"},
		{"numerals", "en", "two hundred and five of 1,234.50 and 8.7.1", "205 1234.50"},
		{"numerals", "de", "drei Zimmer, fünfunddreißig Quadratmeter, ein Keller, zweihundertfünf", "3 35 205"},
		{"numerals", "de", "966,16 und 1.234,56 und 1.500", "966.16 1234.56 1500"},
		{"numerals", "fr", "quinze jours, quatre-vingt-dix-sept, vingt et un, deux cents", "15 97 21 200"},
		{"numerals", "es", "treinta y cinco, cincuenta, doscientos veinticinco, una", "35 50 225"},
		{"numerals", "it", "trentacinque, ventuno, duecento", "35 21 200"},
		{"numerals", "pt", "cinquenta e dois, cem", "52 100"},
		{"numerals", "nl", "vijfentwintig, tweeëntwintig, honderd", "25 22 100"},
		{"numerals", "ja", "三百五十と二〇二六と１２", "350 2026 12"},
		{"money", "de", "966,16 EUR, 45 Euro, 34 Cent, € 12,50", "966.16 EUR|45 EUR|34 cent|12.50 EUR"},
		{"money", "en", "$1,234.50 for 40 pounds or EUR 365", "1234.50 USD|40 GBP|365 EUR"},
		{"money", "ja", "料金は3000円です", "3000 JPY"},
		{"money", "fr", "1 234,56 € par mois", "1234.56 EUR"},
		{"periods", "de", "binnen zwei Wochen, höchstens 20 Minuten, ein Monat, 3 volle Monate", "2 weeks|20 minutes|1 month|3 months"},
		{"periods", "en", "two (2) years, thirty-day, a week, three quarters", "2 years|30 days|9 months"},
		{"periods", "ja", "十日間、三ヶ月、2時間、4月10日", "10 days|3 months|2 hours"},
		{"periods", "fr", "deux mois et quinze jours", "2 months|15 days"},
		{"times", "en", "at 2:30 pm or 2:30 am, 7:05, noon, 9-5pm, 12 am", "14:30|02:30|07:05|12:00|09:00|17:00|00:00"},
		{"times", "de", "von 7 bis 20 Uhr, 8.30 Uhr, um 16 Uhr, 12.30 bis 14 Uhr", "07:00|20:00|08:30|16:00|12:30|14:00"},
		{"times", "fr", "de 14h30 à 18h, à midi", "14:30|18:00|12:00"},
		{"times", "ja", "午後2時30分から18時まで、2時間", "14:30|18:00"},
		{"times", "en", "10:30:15 and chapter 7, 20 hours, 3.50", "10:30"},
		{"days", "de", "am 5. März 2026, 05.11.2026, ab 1. Juli, dienstags, im Mai 2026", "2026-03-05|2026-11-05|--07-01|tuesday|2026-05"},
		{"days", "en", "on March 5 and 14 March 2026; Tuesdays; they may march", "--03-05|2026-03-14|tuesday"},
		{"days", "es", "el 3 de abril de 2026, los lunes", "2026-04-03|monday"},
		{"days", "fr", "le 1er juillet 2026, le mardi", "2026-07-01|tuesday"},
		{"days", "ja", "2026年4月1日、12月3日、月曜日に", "2026-04-01|--12-03|monday"},
		{"frequencies", "en", "quarterly, every two months, per week, every Tuesday, daily", "3 months|2 months|1 week|1 week|1 day"},
		{"frequencies", "de", "vierteljährlich, alle zwei Wochen, pro Monat, jeden Donnerstag", "3 months|2 weeks|1 month|1 week"},
		{"frequencies", "fr", "chaque mois, hebdomadaire", "1 month|1 week"},
		{"frequencies", "ja", "毎月の会議", "1 month"},
	} {
		var got []string
		for _, f := range finders[row.kind](row.in, text.Language(row.language)) {
			if f.Start < 0 || f.End > len(row.in) || f.Start >= f.End {
				t.Fatalf("%s of %q: %+v", row.kind, row.in, f)
			}
			got = append(got, f.Value)
		}
		sep := "|"
		if row.kind == "numerals" {
			sep = " "
		}
		if s := strings.Join(got, sep); s != row.want {
			t.Errorf("%s of %q: %s, want %s", row.kind, row.in, s, row.want)
		}
	}
}

func FuzzKinds(f *testing.F) {
	for _, s := range []string{"am 5. März 2026 um 8.30 Uhr 966,16 EUR", "午後2時30分、十日間3000円", "twenty-four (24) months 9-5pm $1,2", "quatre-vingt-dix-sept\xff1 234", "2026年4月1日毎月月曜日", "万万万万万万", "..,,::hh"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range []text.Language{"", "de", "fr", "ja"} {
			for _, find := range []func(string, text.Language) []Found{Numerals, Money, Periods, Times, Days, Frequencies} {
				for _, v := range find(s, l) {
					if v.Start < 0 || v.End > len(s) || v.Start >= v.End || v.Value == "" {
						t.Fatalf("%q: %+v", s, v)
					}
				}
			}
		}
	})
}

func TestBare(t *testing.T) {
	for _, c := range []struct {
		text string
		lang text.Language
		want []string
	}{
		{"Membership is 24 a year, the chipper 14.", "en", []string{"24", "14"}},
		{"Ten swims | 28 | 33.00", "en", []string{"Ten", "28", "33.00"}},
		{"Total 45\nPaid 20", "en", []string{"45", "20"}},
		{"weighs 5.1 kg, 4,200 l/h, 400 W, 190 °C, 3 litres", "en", []string{}},
		{"in Hall 2, Rivulet 400, bay LP-93, § 4", "en", []string{}},
		{"7. The machine\n8) The lamp", "en", []string{}},
		{"Call 955 01 44 27.", "en", []string{}},
		{"Die Miete 450", "de", []string{"450"}},
		{"EUR 12, 12 EUR", "en", []string{"12", "12"}},
	} {
		got := []string{}
		for _, f := range Bare(c.text, c.lang) {
			got = append(got, f.Text(c.text))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q; want %q", c.text, got, c.want)
		}
	}
}
