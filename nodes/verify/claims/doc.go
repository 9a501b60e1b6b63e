// Package claims splits a response into the statements of fact to check, each with its bytes in the
// response and the marks that cite its sources.
//
//	for _, c := range claims.Split(answer) {
//		fmt.Println(c.ID, answer[c.Start:c.End], c.Cites)
//	}
//
// It reads Markdown and plain text. Not claims are: headings, code, rules, the lines of a table
// above and between its rows, lists of sources, questions, bare connectives, opinions, instructions
// to the reader, and sentences with which an answer says that it has none. In doubt a sentence is a
// claim: an opinion with a number, a name or a citation is kept, so nothing that could be false
// goes unchecked.
//
// List items after a lead-in ("A claimant must show:") are separate claims with the lead-in as
// their Context. So are a label before an item's text and the header of a table's column. A lead-in
// that states a number is also a claim.
//
// The package does not judge, resolve pronouns or rewrite. A claim is always a range of the
// response's bytes, so a clause that depends on the previous one stays as it is. It splits
// sentences of any script, but recognises opinions, instructions and clauses only in English.
package claims
