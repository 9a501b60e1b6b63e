// Package encode turns texts into vectors of what they mean, by a small encoder that is part of
// the program: all-MiniLM-L6-v2, six layers of a transformer, its weights rounded to whole
// numbers.
//
//	m, err := encode.Builtin()
//	vectors, err := m.Embed(ctx, []string{"Who signs the invoices?", "Ines Falk approves every bill."})
//
// A vector has unit length; the product of two says how near their texts are in meaning. The model
// reads English. Of a text it reads the first [Model.Longest] word pieces.
//
// Equal texts have equal vectors, to the last bit, on every processor and with every number of
// goroutines: products of weights are summed as whole numbers, and what is left of floating
// point is done one operation at a time, in one order, without fused multiplication. So every
// kernel in assembly has a twin in Go, and both are compared bit by bit in the tests.
//
// What this package does not do: it keeps no vectors (memory/embed does), searches none
// (memory/vector) and fetches no model.
package encode
