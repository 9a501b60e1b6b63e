// Package document loads files and splits them into passages.
//
//	doc, err := document.Load(ctx, "law/battery.md", "battery.md", nil)
//	if err != nil { … }
//	passages, err := document.Passages(ctx, doc, nil)
//	if err != nil { … }
//	for _, p := range passages {
//		fmt.Println(p.ID, doc.Text[p.Start:p.End] == p.Text) // always true
//	}
//
// It reads markdown, plain text, HTML, PDF, Word (.docx), OpenDocument (.odt), PowerPoint
// (.pptx), Excel (.xlsx), EPUB, mail (.eml), CSV, TSV, JSON and JSON Lines, text and
// PDF also compressed with gzip. Every passage is a span of Document.Text
// and carries its byte offsets. For markdown and plain text in UTF-8 that text is
// the file itself, byte for byte; for the other formats it is what was extracted,
// which the caller has to keep if offsets are to mean anything later.
//
// A document and its passages carry metadata: what front matter, the properties of a
// file or the other fields of a record declare, the directory and the file type.
//
// Passages carry typed blocks. The row of a table, whatever its format, is one, with the
// headers and the bytes of its cells; so are labels with their values, answers with their
// questions, terms with what they mean, and the earlier mails that a mail repeats.
//
// What it does not do: it does not recognise text in pictures by itself (a scanned
// PDF is read by programs of this machine, or is an error that says so), follow links,
// run scripts, or write anything. The encoding of text that is not UTF-8 and does not
// declare one is guessed, and noted as metadata. Passages of a PDF end with their page,
// so a sentence that runs over a page break is in two passages.
package document
