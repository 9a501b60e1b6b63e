// Package orders finds sentences of a document that order whoever answers by it
// to do something: to alter the answer, or to do another task. It looks at the
// form of a sentence and at how much of it the rest of the document speaks about,
// by weights that eval/train learned (weights.md).
//
//	d := orders.Read(document)
//	w, err := orders.Shipped()
//	for n, span := range d.Spans { fmt.Println(document[span.Start:span.End], w.P(d, n)) }
//
// It reads English. It does not see an order that is phrased as a statement, nor
// a question on the document's own topic, and it does not decode what is encoded.
package orders
