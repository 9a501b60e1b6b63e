// Package extract measures how well fields are read from documents, on judged collections, and
// trains the rankers of the offline extractor.
//
//	set, err := extract.Read(ctx, extract.FormatSROIE, "receipts.jsonl", nil)
//	result, err := extract.Evaluate(ctx, set, schema, nil)
//
// A field counts as right if its value is that of the collection, either exactly or after both are
// normalised; see Evaluate. The package does not contain data.
package extract
