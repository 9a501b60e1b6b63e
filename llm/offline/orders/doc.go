// Package orders finds prompt injection in documents: sentences that order whoever
// answers by the document to do something, to alter the answer or to do another task.
//
// An order or a question is nothing unusual in itself. What counts is how it stands in
// its document: how many of the other sentences order or ask, whether its neighbours
// do, whether they share its words, and whether the next sentence goes on from it. The
// weights of these features were learned by eval/train (weights.md).
//
//	d := orders.Read(document)
//	w, err := orders.Shipped()
//	for n, span := range d.Spans { fmt.Println(document[span.Start:span.End], w.P(d, n)) }
//
// It reads English. It does not see an order that is phrased as a statement about
// anything but the answer, nor one on the document's own topic among orders of the
// document. It decodes nothing. The more orders stand one behind the other, the less
// surely each is found.
package orders
