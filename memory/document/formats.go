package document

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// A format is a way to read files. A further one needs a line here and a file with its parser.
type format struct {
	name  string // Document.Format
	exts  string // lower-case extensions, separated by spaces; none for a format that only the content tells
	text  bool   // text in any encoding: it is converted to UTF-8 before it is parsed
	lines bool   // a person writes it in lines, so that a very long line is refused
	parse func(context.Context, *Document, []byte, LoadOptions) error
}

// formats lists all formats, in the order in which their extensions are told.
func formats() []format {
	return []format{
		{"md", "md markdown", true, true, parseMarkdown},
		{"txt", "txt text rst", true, true, parsePlain},
		{"html", "html htm xhtml", false, true, parseHTML},
		{"docx", "docx", false, false, parseDocx},
		{"odt", "odt", false, false, parseODT},
		{"pptx", "pptx", false, false, parsePPTX},
		{"xlsx", "xlsx", false, false, parseXLSX},
		{"epub", "epub", false, false, parseEPUB},
		{"eml", "eml", false, true, parseEML},
		{"pdf", "pdf", false, false, parsePDF},
		{"rtf", "rtf", false, false, parseRTF},
		{"tex", "tex", false, false, parseTeX},
		{"xml", "", false, false, parseXML},
		{"man", "", true, true, parseTroff},
		{"subtitles", "srt vtt", false, false, parseSubtitles},
		{"cards", "ics vcf", true, false, parseCards}, // calendars and address books
		{"csv", "csv tsv", true, false, parseCSV},
		{"json", "json", true, false, parseJSON},
		{"jsonl", "jsonl ndjson", true, false, parseJSONL},
	}
}

// formatNamed returns the format with a name.
func formatNamed(name string) format {
	all := formats()
	return all[slices.IndexFunc(all, func(f format) bool { return f.name == name })]
}

// Extensions returns the lower-case file name extensions that Load reads in a format of their own,
// or as text without looking at the content. Text under any other name is read, too. Text and PDF
// may be compressed, with ".gz" after their name.
func Extensions() []string {
	var out []string
	for _, f := range formats() {
		for _, ext := range strings.Fields(f.exts) {
			out = append(out, "."+ext)
		}
	}
	return append(out, ".gz")
}

type kind struct {
	format string
	comma  rune // as in LoadOptions
}

// kindOf returns the kind of a file by its name, and whether the name tells it.
func kindOf(name string) (kind, bool) {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	for _, f := range formats() {
		if ext != "" && slices.Contains(strings.Fields(f.exts), ext) {
			k := kind{format: f.name}
			if ext == "tsv" {
				k.comma = '\t'
			}
			return k, true
		}
	}
	return kind{}, false
}
