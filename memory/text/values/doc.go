// Package values finds values in a text (dates, amounts of money, durations, percentages, mail
// addresses, telephone numbers), with their bytes and a normal form of each. It also exports its
// vocabulary of numbers, months and units: package decide/claim/facts uses it to read sentences
// word by word, including incomplete values ("in March", "two thirds", "the 1990s").
//
//	for _, d := range values.Dates(text, nil) {
//		fmt.Println(text[d.Start:d.End], d.Value) // "May 20, 2014" "2014-05-20"
//	}
//
// [Numerals], [Money], [Periods], [Times], [Days] and [Frequencies] read a text in its language, in
// digits and in words, to find which kinds of value a sentence has.
//
//	values.Times("von 7 bis 20 Uhr", "de")      // 07:00, 20:00
//	values.Periods("十日間", "ja")                // 10 days
//	values.Frequencies("every two months", "en") // 2 months
//
// The package does not interpret values: the caller decides which of two dates is the relevant one.
// Dates are Gregorian with the names of months in seven languages; numbers are in Western digits.
package values

// A Found is a value in a text.
type Found struct {
	Start, End int    // bytes of the text
	Value      string // normalised, see the function that found it
	Kind       int    // which of its layouts it has, from 0, in the order in which they are looked for
}

// Text returns the bytes of the value in the text.
func (f Found) Text(text string) string { return text[f.Start:f.End] }
