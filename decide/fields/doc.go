// Package fields reads the values of typed fields in a document. A [Form] recognises and
// normalises the values of a field; the extraction pipeline checks the values of every
// model with it. [Extract] finds values without a model, for the offline model:
// recognisers make candidates, features describe each candidate and its neighbours, and a
// small ranker for each type of field chooses.
//
//	found, err := fields.Extract(text, boxes, blocks, specs, nil)
//	value, steps := fields.Form{Type: "string", Format: "date"}.Write("3 May 2014")
//
// Amounts, names and addresses on forms are ranked by weights that were trained
// (go run ./eval/train extract): segments of rows by how their rows begin, end and
// lie on the page, amounts by the labels in front of them and by the arithmetic
// between them. No word of a document is a feature, only classes of labels and
// shapes: words help with the layouts that were trained on, and hurt with others.
// Dates, parties, jurisdictions and periods of contracts are ranked by weights
// that were set by hand. Everything else is found by its label.
//
// The package does not read images, does not know the subject of a document, and returns
// only values that the document contains.
package fields
