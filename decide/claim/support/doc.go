// Package support judges how far evidence supports a claim by the claim's words. Its
// weights were trained on claims that people judged.
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
// It detects what the evidence says and what is missing, but not what is denied: an
// inserted "not", a swapped direction or a changed number changes its score little. Other
// code checks those, and this package never calls a claim false. The only paraphrases it
// knows are near synonyms (synonyms.go). It has no knowledge of the world, reads English,
// and does not search for evidence.
package support
