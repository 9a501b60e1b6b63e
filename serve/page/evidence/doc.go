// Package evidence shows an answer next to its source documents, as a part of a page of package
// look.
//
//	html, err := evidence.Section(ctx, proof, documents, nil)
//
// Each sentence with a finding links to its bytes in the document, and the bytes link back. The
// document is shown as it is now, and only bytes that match exactly are marked.
//
// The package makes no judgements, reads no file, and knows no server and no pipeline: documents
// come from a function, findings from a proof.Proof.
package evidence
