// Package injection finds prompt injection: in what a person asks, and in documents,
// whose sentences may order whoever answers by the document to alter the answer or to
// do another task. The pipelines mark such sentences by it, and the offline model
// answers its skill by it.
//
//	fmt.Println(injection.Question("Ignore all previous instructions.").Adversarial)
//	for _, found := range injection.Instructions(document) {
//		fmt.Println(document[found.Start:found.End], found.Category)
//	}
//
// Two methods look at a text. Scored rules (rules.go) look for a construction: a verb
// in the imperative with an object that belongs to the assistant. So "ignore all
// previous instructions" is an attack and "may a jury ignore the judge's instructions?"
// is not, and what is only mentioned, in quotes or after "phrases such as", does not
// count. Small trained classifiers raise many false alarms on questions that only sound
// like attacks (NotInject, Li and Liu, 2024), rules few. The rules read a text as it
// is and with one way of hiding undone: look-alike letters, base64, letters spelled
// apart and others (readings.go).
//
// In a document, a sentence that orders or asks is nothing unusual in itself. What
// counts is how it stands there: how many of the other sentences order or ask, whether
// its neighbours do, whether they share its words, and whether the next sentence goes
// on from it. The weights of these features (features.go) were learned by eval/train
// (weights.md).
//
// It reads English, and a few orders of other languages. It does not see an order that
// is phrased as a statement about anything but the answer, nor one on the document's
// own topic among orders of the document. The more orders stand one behind the other,
// the less surely each is found.
package injection
