// Package extract measures how well fields are read from documents, on judged
// collections, and trains the rankers of the offline extractor.
//
//	set, err := extract.Read(ctx, extract.FormatSROIE, "receipts.jsonl", nil)
//	result, err := extract.Evaluate(ctx, set, schema, nil)
//
// It holds no data. A field counts as right when its value is that of the
// collection, either exactly or after both are normalised; see Evaluate.
package extract
