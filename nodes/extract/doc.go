// Package extract reads fields from a document by a JSON Schema, checks them by rules, lets a model
// correct them, and keeps the best version.
//
//	schema, err := extract.ParseSchema(data)
//	p, err := extract.New(extract.Deps{Model: model, Skills: set, Schema: schema}, nil)
//	final, err := p.Run(ctx, document, nil)
//	best, _ := final.Best()
//	fmt.Println(string(schema.Result(best.Values)))
//
// A model is asked once for the values. If the rules find faults, it is asked again with these
// faults. The rules need no model: whether the document contains a value, required fields, types,
// formats, bounds and patterns of the schema, arithmetic between fields (x-check), duplicates,
// plausibility. A model's claim about a value's place counts only if the document's bytes agree.
//
// The package does not know whether a value is true or belongs to the right field: a number under
// another label passes every rule except arithmetic. It does not read images; OCR lines with boxes
// come from elsewhere.
package extract
