// Package fields reads the values of typed fields in a document. A [Form] recognises and normalises
// the values of a field; the extraction pipeline checks the values of every model with it.
// [Extract] finds values without a model, for the offline model: recognisers make candidates,
// features describe each candidate and its neighbours, and a small ranker for each type of field
// chooses.
//
//	found, err := fields.Extract(text, boxes, blocks, specs, nil)
//	value, steps := fields.Form{Type: "string", Format: "date"}.Write("3 May 2014")
//
// A field finds its value by the meaning of its name and description, with a table of labels
// (labels.txt). The meaning is compared with the labels of fields, columns and questions that a
// reader found, with the words around a value, and with the places where papers put names. Two
// fields never take the same value. Values with a typical shape are found by it; numbers are read
// with the text's decimal separator.
//
// Fields of the formats company, address and currency are ranked by trained weights (go run
// ./eval/train extract): segments of rows by the beginning, the end and the position of their rows,
// amounts by the labels before them. Parties, jurisdictions, periods and dates of long contracts
// are ranked by hand-set weights.
//
// The package does not read images, does not know the subject of a document, and returns only
// values that the document contains.
package fields
