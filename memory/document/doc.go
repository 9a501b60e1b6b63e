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
// It reads markdown, plain text, HTML, Word (.docx), PDF, CSV, TSV and JSON Lines, the last
// three also compressed with gzip. Every passage is a span of Document.Text
// and carries its byte offsets. For markdown and plain text that text is the
// file itself, byte for byte; for the other formats it is what was extracted,
// which the caller has to keep if offsets are to mean anything later.
//
// A document and its passages carry metadata: what front matter or the other
// fields of a record declare, the directory and the file type.
//
// What it does not do: it does not recognise text in pictures (a scanned PDF
// is an error that says so), guess the encoding of a text file that is not
// UTF-8, rebuild columns or tables of a PDF, follow links, run scripts, or
// write anything. Passages of a PDF end with their page, so a sentence that
// runs over a page break is in two passages.
package document
