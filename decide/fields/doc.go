// Package fields reads the values of typed fields in a document. A [Form] recognises and
// normalises the values of a field; the extraction pipeline checks the values of every
// model with it. [Extract] finds values without a model, for the offline model:
// recognisers make candidates, features describe each candidate and its neighbours, and a
// small ranker for each type of field chooses.
//
//	found, err := fields.Extract(text, boxes, blocks, specs, nil)
//	value, steps := fields.Form{Type: "string", Format: "date"}.Write("3 May 2014")
//
// A field finds its value by what its name and description mean (a table
// of labels is in labels.txt): against the labels of fields, columns and questions that a
// reader found, the words around a value, and the places where papers put names. Two fields
// do not take the same value. Values of a kind are found by their shape; numbers are read
// by the text's own sign of decimals.
//
// Fields of the formats company, address and currency are ranked by weights that were
// trained (go run ./eval/train extract): segments of rows by how their rows begin, end and
// lie on the page, amounts by the labels in front of them. Parties, jurisdictions, periods and dates of long contracts are ranked by weights
// that were set by hand.
//
// The package does not read images, does not know the subject of a document, and returns
// only values that the document contains.
package fields
