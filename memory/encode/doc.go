// Package encode turns texts into vectors of their meaning, with a small encoder that is built into
// the program: all-MiniLM-L6-v2, six transformer layers with weights rounded to integers.
//
//	m, err := encode.Builtin()
//	vectors, err := m.Embed(ctx, []string{"Who signs the invoices?", "Ines Falk approves every bill."})
//
// A vector has unit length; the product of two is the similarity of their texts in meaning. The
// model is for English. It reads the first [Model.Longest] word pieces of a text.
//
// Equal texts have equal vectors, to the last bit, on every processor and with any number of
// goroutines: products of weights are summed as integers, and the remaining floating-point
// operations are done one at a time, in one order, without fused multiplication. Every assembly
// kernel has an equivalent in Go, and the tests compare both bit by bit.
//
// The package does not store vectors (memory/embed does), search them (memory/vector) or download
// models.
package encode
