// Package support judges how far evidence carries a claim: by the claim's
// words, weighed by what was learned from claims that people judged.
//
//	read, err := support.Read("A mooring costs two crowns a week.", []support.Source{{Title: "Moorings", Text: passage}})
//	fmt.Println(read.Status, read.Confidence, read.Reason)
//
// A claim is measured twice: as a whole (coverage by IDF, windows, order,
// copied fragments, numbers, names, directions; features.go), and word by word
// (terms.go), where it holds only if each of its words does. Two small linear
// models weigh the features; eval/train fits them, and weights.md says on what
// and how well they do. The score is calibrated.
//
// It sees what is said and what is missing. It does not see what is denied: an
// inserted "not", a swapped direction or a changed number moves its score
// little, so those are checked by other code, and it never calls a claim false.
// It knows no paraphrase but a list of near synonyms (synonyms.go), no world,
// and reads English. Evidence is what it is given: it searches nothing.
package support
