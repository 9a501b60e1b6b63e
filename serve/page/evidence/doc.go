// Package evidence lays an answer beside the documents that it stands on, as a part of a page
// of package look.
//
//	html, err := evidence.Section(ctx, proof, documents, nil)
//
// Each sentence that something was found about leads to its bytes in the document, which is
// shown as it stands, and the bytes lead back. It marks only what it finds there byte for byte.
//
// The package judges nothing, reads no file, and knows no server and no pipeline: documents
// come by a function, findings in a proof.Proof.
package evidence
