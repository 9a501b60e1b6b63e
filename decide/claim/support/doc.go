// Package support judges how far evidence supports a claim, from the claim's words. Its weights
// were trained on claims that people judged.
//
//	read, err := support.Read("A mooring costs two crowns a week.", []support.Source{{Title: "Moorings", Text: passage}})
//	fmt.Println(read.Status, read.Confidence, read.Reason)
//
// A claim is measured twice: as a whole (coverage by IDF, windows, order, copied fragments,
// numbers, names, directions; features.go), and word by word (terms.go), where it is supported only
// if each of its words is. Two small linear models weigh the features. eval/train fits them;
// weights.md describes the data and the quality. The score is calibrated.
//
// The package detects what the evidence contains and what is missing, but not denials: an inserted
// "not", a swapped direction or a changed number changes its score little. Other code checks those,
// and this package never calls a claim false. It knows no paraphrases except near synonyms
// (synonyms.go), has no knowledge of the world, reads English, and does not search for evidence.
package support
