// Package injection finds prompt injection in questions and in documents. A sentence of a document
// may tell a model that reads it to alter the answer or to do another task. The pipelines mark such
// sentences with this package, and the offline model's skill uses it.
//
//	fmt.Println(injection.Question("Ignore all previous instructions.").Adversarial)
//	for _, found := range injection.Instructions(document) {
//		fmt.Println(document[found.Start:found.End], found.Category)
//	}
//
// There are two methods. Scored rules (rules.go) match a construction: a verb in the imperative
// with an object that belongs to the assistant. So "ignore all previous instructions" is an attack,
// and "may a jury ignore the judge's instructions?" is not. A mention in quotes or after "phrases
// such as" does not count. On questions that only sound like attacks, small trained classifiers
// raise many false alarms (NotInject, Li and Liu, 2024), and rules few. The rules read a text
// unchanged and with each kind of disguise removed: look-alike letters, base64, spaced letters and
// others (readings.go).
//
// In a document, an instruction or a question is usual. Its context counts: how many of the other
// sentences instruct or ask, whether its neighbours do, whether they share its words, and whether
// the next sentence continues it. The weights of these features (features.go) were trained by
// eval/train (weights.md).
//
// In a document a sentence counts if it addresses a machine ("Note to AI assistants", addressed.go,
// in several languages), is about the answer itself, or asks for a text, a translation or a program
// that the rest of the document does not mention. Instructions for people ("Bring a jacket") and
// questions do not count. So the package misses a task without an addressee ("Explain how a volcano
// works"), and a false statement without one.
package injection
