// Package claims splits a response into the statements of fact that have to be
// checked: each with its bytes in the response and the marks by which it
// cites its sources.
//
//	for _, c := range claims.Split(answer) {
//		fmt.Println(c.ID, answer[c.Start:c.End], c.Cites)
//	}
//
// It reads Markdown and plain text. Headings, code, rules, the lines of a table
// above and between its rows, lists of sources, questions, bare connectives,
// opinions, orders to the reader and the sentences by which an answer says that it
// has none are no claims. What may be a fact is one: an opinion with a number, a
// name or a citation in it is kept, since nothing that could be false may go
// unchecked.
//
// The items of a list after a lead-in ("A claimant must show:") are claims of
// their own; the lead-in is their Context. So are a label before an item's text
// and the head of a table's column. A lead-in is a claim, too, if it counts.
//
// What it does not do: it does not judge, resolve pronouns or rewrite. A claim is
// always a run of the response's bytes, so a clause that leans on the one before
// stays as it stands. It splits sentences of any script, but tells opinions, orders
// and clauses in English only.
package claims
