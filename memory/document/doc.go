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
// It reads markdown, plain text, HTML, PDF, Word (.docx), OpenDocument (.odt), PowerPoint (.pptx),
// Excel (.xlsx), EPUB, mail (.eml), CSV, TSV, JSON and JSON Lines, text and PDF also compressed
// with gzip. Every passage is a span of Document.Text with its byte offsets. For markdown and plain
// text in UTF-8 that text is the file itself, byte for byte; for the other formats it is extracted,
// and the caller has to store it if the offsets are used later.
//
// A document and its passages have metadata: from front matter, the properties of a file or the
// other fields of a record, and the directory and file type. Passages have typed blocks: the row of
// a table in any format, with the headers and the bytes of its cells, and likewise labels with
// their values, answers with their questions, terms with their definitions, and the earlier mails
// that a mail repeats.
//
// The package does not recognise text in pictures itself (a scanned PDF is read by programs
// installed on this machine, or is an error that says so), follow links, run scripts, or write
// files. The encoding of text that is not UTF-8 and does not declare one is guessed, and recorded
// as metadata. Passages of a PDF end with their page, so a sentence across a page break is in two
// passages.
package document
