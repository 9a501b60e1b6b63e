// Package values finds what is written in fixed ways in a text (dates, amounts of
// money, durations, percentages, addresses of mail, telephone numbers), with
// the bytes that it covers and one way to write each. It also holds the words that
// numbers, months and units are written in, for who reads them in sentences: package
// decide/claim/facts does, word by word, also what is no whole value ("in March",
// "two thirds", "the 1990s").
//
//	for _, d := range values.Dates(text, nil) {
//		fmt.Println(text[d.Start:d.End], d.Value) // "May 20, 2014" "2014-05-20"
//	}
//
// [Numerals], [Money], [Periods], [Times], [Days] and [Frequencies] read a text in its
// language, in digits and in words: of what kind a value is that a sentence holds.
//
//	values.Times("von 7 bis 20 Uhr", "de")      // 07:00, 20:00
//	values.Periods("十日間", "ja")                // 10 days
//	values.Frequencies("every two months", "en") // 2 months
//
// It does not say what a value means: which of two dates is the one that is
// looked for is for who asks. Dates are of the Gregorian calendar with the
// names of months in seven languages; numbers are in Western digits.
package values

// A Found is a value in a text.
type Found struct {
	Start, End int    // bytes of the text
	Value      string // normalised, see the function that found it
	Kind       int    // which of its layouts it has, from 0, in the order in which they are looked for
}

// Text is what stands there.
func (f Found) Text(text string) string { return text[f.Start:f.End] }
