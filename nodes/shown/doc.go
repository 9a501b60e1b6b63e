// Package shown turns the answer of a pipeline, as `--json` prints it, into a proof.Proof:
// the one form in which pages show the answers of all pipelines.
//
//	p, err := shown.Of("comply", answer)
//
// It is the only package that knows the answers of all pipelines. It reads no document:
// whether a quote still stands in its file is for who shows it to find out.
package shown
