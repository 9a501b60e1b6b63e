package text

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestTokens(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"  ,.;-- ", nil},
		{"The cat's pyjamas", []string{"the", "cat", "pyjamas"}},
		{"the cat’s don't O’Neill", []string{"the", "cat", "don't", "o'neill"}},
		{"'quoted' dogs' end'", []string{"quoted", "dogs", "end"}},
		{"Rule 8.7.1(a)", []string{"rule", "8", "7", "1", "a"}},
		{"3,000 m² at 20°C", []string{"3", "000", "m²", "at", "20", "c"}},
		{"Größe naïve ÉTÉ", []string{"größe", "naïve", "été"}},
		{"cafe\u0301", []string{"café"}},
		{"無料 テスト", []string{"無料", "テス", "スト"}},
		{"a\xffb", []string{"a", "b"}},
		{"snake_case e-mail", []string{"snake", "case", "e", "mail"}},
		{"'s", []string{"s"}},
	}
	for _, test := range tests {
		var got []string
		for _, tok := range Tokens(test.in) {
			got = append(got, tok.Text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Tokens(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestTokenOffsets(t *testing.T) {
	s := "Él’s “Dog's” 42"
	want := []string{"Él’s", "Dog's", "42"}
	for i, tok := range Tokens(s) {
		if got := s[tok.Start:tok.End]; got != want[i] {
			t.Errorf("token %d spans %q, want %q", i, got, want[i])
		}
	}
}

func TestTerms(t *testing.T) {
	got := Terms("What are the elements of batteries?", DocStops)
	if want := []string{"element", "batteri"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Terms("to be or not", nil); !slices.Equal(got, []string{"to", "be", "or", "not"}) {
		t.Errorf("without a stop list: %q", got)
	}
}

func TestStem(t *testing.T) {
	tests := map[string]string{"running": "run", "liability": "liabil", "liable": "liabl", "": "", "42": "42", "無料": "無料", "generously": "generous"}
	for word, want := range tests {
		if got := Stem(word); got != want {
			t.Errorf("Stem(%q) = %q, want %q", word, got, want)
		}
	}
}

// A run of letters without end may not hold up whoever reads a document.
func TestLongWordsAreQuick(t *testing.T) {
	for _, letter := range []string{"y", "a", "ed", "é"} {
		word := strings.Repeat(letter, 200_000)
		start := time.Now()
		if got := Terms(word, nil); len(got) != 1 || got[0] != word {
			t.Errorf("a run of %q has %d terms", letter, len(got))
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("a run of %q took %v", letter, took)
		}
	}
}

func TestStopLists(t *testing.T) {
	for word := range DocStops {
		if !QueryStops.Has(word) {
			t.Errorf("%q is a stop word of documents and not of queries", word)
		}
	}
	for _, word := range []string{"explain", "following", "correct"} {
		if !QueryStops.Has(word) || DocStops.Has(word) {
			t.Errorf("%q must be a stop word of queries only", word)
		}
	}
	for _, word := range []string{"false", "true", "battery", "2017"} {
		if QueryStops.Has(word) {
			t.Errorf("%q names topics and may not be a stop word", word)
		}
	}
	if StopList(nil).Has("the") {
		t.Error("a nil list has a word")
	}
}

// A full stop is that of an abbreviation only before what the abbreviation
// announces: the vertical line is where the next sentence begins.
func TestAbbreviations(t *testing.T) {
	for _, marked := range []string{
		"The answer is no. | Parents must sign.",
		"Is it allowed? | No. | Parents must sign.",
		"No. | I disagree.",
		"Room No. 5 is closed. | Use No. 7.",
		"Rooms nos. 5 and 6 are closed.",
		"They study art. | Parents pay.",
		"See Art. 12 and art. 13(2). | It holds.",
		"Under Art. IV the court decides. | Nothing follows from Art. | Nothing at all.",
		"He ate a fig. | Then he slept.",
		"See Fig. A for a map. | See Figs. 2 and 3.",
		"Pay before Dec. 3 of the year. | It closes in Dec. | Parents must sign.",
		"It was Mar. 2019 when he came.",
		"They ran a sec. | Then they stopped.",
		"See Sec. 5600.5 and Secs. § 3 to 5.",
		"She met St. John there. | He left.",
		"Visit St. John.",
		"They live on Main St. | Parents walk there.",
		"Ask Dr. Brown or Mrs. Smith. | They know.",
		"It is on Oak Dr. | Children play there.",
		"He spoke to the dr. | Nothing came of it.",
		"See p. 12 and pp. 13 to 15. | It is the last p. | Turn over.",
		"Smith v. Jones was cited, e.g. In re Doe. | It holds.",
		"He works for Acme Inc. | The company pays.",
		"Vol. II is lost. | Look for vol. 3.",
		"He said no. | “Parents must sign,” she said.",
	} {
		var want []string
		for part := range strings.SplitSeq(marked, " | ") {
			want = append(want, part)
		}
		in := strings.ReplaceAll(marked, " | ", " ")
		var got []string
		for _, span := range Sentences(in) {
			got = append(got, in[span.Start:span.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"none", " \n\t", nil},
		{"plain", "One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"abbreviations", "See Art. 5 and Mr. Smith v. Jones. It holds.", []string{"See Art. 5 and Mr. Smith v. Jones.", "It holds."}},
		{"companies", "Sold by Acme Inc. Annual reports by Reed LLC. It ended.", []string{"Sold by Acme Inc. Annual reports by Reed LLC.", "It ended."}},
		{"citations", "Under 42 U.S.C. § 1983 he sued. He won.", []string{"Under 42 U.S.C. § 1983 he sued.", "He won."}},
		{"numbers", "It costs 3.50 crowns. Pay.", []string{"It costs 3.50 crowns.", "Pay."}},
		{"quotes", "“Stop.” He ran. (Really.) Yes", []string{"“Stop.”", "He ran.", "(Really.)", "Yes"}},
		{"lower case", "The No. of items, approx. six. Done.", []string{"The No. of items, approx. six.", "Done."}},
		{"wrapped lines", "A sentence that\nis wrapped. Next.", []string{"A sentence that\nis wrapped.", "Next."}},
		{"paragraphs", "No full stop\n\nNext", []string{"No full stop", "Next"}},
		{"heading", "# Title\nText here.", []string{"# Title", "Text here."}},
		{"bullets", "Needs:\n- one\n- two\n* three", []string{"Needs:", "- one", "- two", "* three"}},
		{"labels", "It must\n(a) run\n(ii) jump\n3. swim", []string{"It must", "(a) run", "(ii) jump", "3. swim"}},
		{"table", "| a | b |\n| 1 | 2 |", []string{"| a | b |", "| 1 | 2 |"}},
		{"ellipsis", "Well… Then go.", []string{"Well…", "Then go."}},
		{"invalid", "Bad \xff byte. Next.", []string{"Bad \xff byte.", "Next."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, span := range Sentences(test.in) {
				got = append(got, test.in[span.Start:span.End])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

var fuzzSeeds = []string{
	"", "One. Two!", "See Art. 5 v. Jones…", "a\xff\xfeb’s", "(a) x\n(b) y\n\n# H\n| t |", "’s'’'s", "\u2028 \u00a0.\u0301?!”", "U.S.C. § 5.\r\n1. A", strings.Repeat("a.", 50), "İ ẞ ſ", "有給休暇は10日’sです", "ｶﾞﾊﾟA１", "각는ก็", "がe\u0301",
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func FuzzTokens(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var last Token
		for _, tok := range Tokens(s) {
			if tok.Start < last.Start || tok.End <= tok.Start || tok.End > len(s) || tok.Start < last.End && scriptOf(firstRune(s[tok.Start:])) == 0 {
				t.Fatalf("token %+v after %+v of %d bytes", tok, last, len(s))
			}
			last = tok
			if tok.Text != folded(s[tok.Start:tok.End]) || tok.Text == "" {
				t.Fatalf("token %q spans %q", tok.Text, s[tok.Start:tok.End])
			}
			if !utf8.ValidString(tok.Text) {
				t.Fatalf("token %q is not valid UTF-8", tok.Text)
			}
			Stem(tok.Text)
		}
	})
}

func FuzzSentences(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, span := range Sentences(s) {
			if span.Start < last || span.End <= span.Start || span.End > len(s) {
				t.Fatalf("sentence %+v after byte %d of %d", span, last, len(s))
			}
			if gap := s[last:span.Start]; strings.TrimSpace(gap) != "" {
				t.Fatalf("%q between sentences is lost", gap)
			}
			if body := s[span.Start:span.End]; strings.TrimSpace(body) != body {
				t.Fatalf("sentence %q has space around it", body)
			}
			last = span.End
		}
		if rest := s[last:]; strings.TrimSpace(rest) != "" {
			t.Fatalf("%q after the last sentence is lost", rest)
		}
	})
}

func TestLineBreaksOfUnwrappedText(t *testing.T) {
	long := strings.Repeat("an operator keeps records ", 8) + "of it."
	for _, tc := range []struct{ in, want string }{
		{"Licensed\noperators keep records.", "Licensed\noperators keep records."},
		{"DUTIES OF OPERATORS\n" + long, "DUTIES OF OPERATORS|" + long},
	} {
		var got []string
		for _, span := range Sentences(tc.in) {
			got = append(got, tc.in[span.Start:span.End])
		}
		if joined := strings.Join(got, "|"); joined != tc.want {
			t.Errorf("%q: %q, want %q", tc.in, joined, tc.want)
		}
	}
}
