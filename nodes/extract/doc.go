// Package extract reads fields from a document by a JSON Schema, checks them by
// rules, has them corrected, and keeps the best.
//
//	schema, err := extract.ParseSchema(data)
//	p, err := extract.New(extract.Deps{Model: model, Skills: set, Schema: schema}, nil)
//	final, err := p.Run(ctx, document, nil)
//	best, _ := final.Best()
//	fmt.Println(string(schema.Result(best.Values)))
//
// A model is asked once for the values and, when the rules find fault with them,
// again with what they found. The rules cost no call: whether a value stands in
// the document, required fields, types, formats, bounds and patterns of the
// schema, arithmetic between fields (x-check), doubles, plausibility. What a
// model says of a value's place counts only where the document's bytes agree.
//
// The package does not say that a value is true or of the right field: a
// number that stands in the document under another label passes every rule but
// arithmetic. It reads no images; OCR lines with boxes come from elsewhere.
package extract
