package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"example.com/assay/state"
)

// Version names the way this package turns files into text and passages. It
// changes whenever an unchanged file would come out differently, so that a
// corpus knows when to read its files again.
const Version = 13

// A Document is one loaded file.
type Document struct {
	Source  string // slash-separated name within the corpus
	Path    string // absolute path of the file
	Format  string // as in Extensions: "md", "txt", "html", "docx", "odt", "pptx", "xlsx", "epub", "eml", "pdf", "csv", "json" or "jsonl", "rtf", "xml", "man", a manual page, or "cards", a calendar or an address book
	Text    string // valid UTF-8; all offsets are bytes of it
	Plain   bool   // Text is the file's bytes
	Hash    string // SHA-256 of the file's bytes, hexadecimal
	Reader  string // the outside program that extracted the text, with its version; empty when this program did
	Title   string // the declared title (markdown), else its first level-1 heading, else the declared title (other formats), else its name without extension
	Blocks  []Block
	Skipped int // records left out because their text is empty

	// Lost describes the first records that could not be read, in their order.
	// LostRecords is their number.
	Lost        []string
	LostRecords int

	// Metadata is what the file declares (front matter of markdown), its dates and versions (date,
	// valid_from, valid_until, version, replaces, superseded_by) and its directory and type, as
	// "dir" and "file_type". Keys are in the form of text.Key; several values are separated by
	// newlines.
	Metadata map[string]string
}

// A Block is a run of body text: a paragraph, a list, a table, a record. Blocks are in order and do
// not overlap; between them are headings, metadata and white space.
type Block struct {
	Start, End int      // bytes in Document.Text
	Group      int      // neighbours of one group may share a passage; a heading, page or record begins a new group
	Section    string   // headings above, outermost first, joined by " > "
	ByLine     bool     // when too long, split at line breaks and not at sentences
	Page       int      // 1-based; 0 for formats without pages
	Element    *Element // the HTML element that the block begins in; nil for other formats
	Line       int      // 1-based line of the record; 0 for formats without records
	ID         string   // the record's id; empty for formats without records
	Doc        string   // the record's document, else its id; empty for formats without records
	Title      string   // the record's title; may be empty

	Metadata map[string]string // the record's other fields, over those of the document

	// Kind, Label, Under, Number and Cells are those of state.Block, with offsets in Document.Text.
	// A block that contains others is a table, a list or a run of text, and its own Kind is empty;
	// between its blocks is running text.
	Kind   state.BlockKind
	Label  string
	Under  string
	Number string
	Cells  []state.Cell
	Blocks []Block

	entry *entry // of the block's description list, or nil
	joins joins
	links []string // the texts of its links
}

// A joins says whether a block shares a passage with the sentence before it.
type joins int

const (
	joinsNothing joins = iota
	joinsColon         // when the sentence ends with a colon
	joinsAlways
)

// LoadOptions configure [Load]. Nil and the zero value work. The field names are for CSV and JSONL;
// an empty one is detected, in the order given.
type LoadOptions struct {
	TextField  string `json:"text_field,omitempty"`  // default: text, contents, content, body or passage
	TitleField string `json:"title_field,omitempty"` // default: title; may be absent
	IDField    string `json:"id_field,omitempty"`    // default: id, _id or passage_id, else SOURCE:LINE
	DocField   string `json:"doc_field,omitempty"`   // default: doc_id, document_id or doc, else the record's id

	MaxFileBytes   int64         `json:"max_file_bytes,omitempty"`   // of a file, and of an expanded .gz; default 256 MiB
	MaxRecordBytes int           `json:"max_record_bytes,omitempty"` // of one record, and of one line of text; default 16 MiB
	PDFTimeout     time.Duration `json:"pdf_timeout,omitempty"`      // for one PDF; default 30 s

	comma  rune // of CSV; 0 to find it by the first rows
	within int  // mails that the file is attached to, one inside another
}

func (o *LoadOptions) withDefaults() LoadOptions {
	var out LoadOptions
	if o != nil {
		out = *o
	}
	if out.MaxFileBytes <= 0 {
		out.MaxFileBytes = 256 << 20
	}
	if out.MaxRecordBytes <= 0 {
		out.MaxRecordBytes = 16 << 20
	}
	if out.PDFTimeout <= 0 {
		out.PDFTimeout = 30 * time.Second
	}
	return out
}

// Load reads the file at path and names it source within its corpus. A fault
// of the file is an *InputError in the error's chain.
func Load(ctx context.Context, path, source string, opts *LoadOptions) (Document, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Document{}, fmt.Errorf("locating %q: %w", path, err)
	}
	o := opts.withDefaults()
	raw, hash, err := ReadFile(ctx, abs, o.MaxFileBytes)
	if err != nil {
		return Document{}, fmt.Errorf("loading document: %w", err)
	}
	d := Document{Source: source, Path: abs, Hash: hash}
	if err := parse(ctx, &d, raw, o); err != nil {
		return Document{}, fmt.Errorf("loading document: %w", err)
	}
	return d, nil
}

// ReadFile returns the bytes of a file, at most that many, and the Hash that Load would set.
func ReadFile(ctx context.Context, path string, most int64) (raw []byte, hash string, err error) {
	var file bytes.Buffer
	if err := copyFile(ctx, &file, path, most); err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(file.Bytes())
	return file.Bytes(), hex.EncodeToString(sum[:]), nil
}

// HashFile returns the Hash that Load would set, without parsing the file or having it in memory as
// a whole.
func HashFile(ctx context.Context, path string, opts *LoadOptions) (string, error) {
	h := sha256.New()
	if err := copyFile(ctx, h, path, opts.withDefaults().MaxFileBytes); err != nil {
		return "", fmt.Errorf("hashing document: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// parse fills in everything that follows from the bytes of d's file.
func parse(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	return guard(d.Path, func() error { return parseGuarded(ctx, d, raw, o) })
}

func parseGuarded(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	if len(raw) == 0 {
		return &InputError{Path: d.Path, Msg: "the file is empty", Hint: "remove it or give it text"}
	}
	file := raw
	name, raw, err := unzipped(ctx, d.Path, raw, o.MaxFileBytes)
	if err != nil {
		return err
	}
	kind, err := detect(name, raw)
	if err != nil {
		return err
	}
	encoding, format := "", formatNamed(kind.format)
	if format.text {
		if raw, encoding, err = inUTF8(ctx, d.Path, raw); err != nil {
			return err
		}
	}
	if format.lines {
		if err := checkLines(d.Path, raw, o.MaxRecordBytes); err != nil {
			return err
		}
	}
	d.Format, o.comma = format.name, kind.comma
	(&watch{ended: ctx.Err}).now()
	if err := format.parse(ctx, d, raw, o); err != nil {
		return err
	}
	structure(ctx, d)
	if d.Title = caption(d.Title); d.Title == "" {
		d.Title = stem(d.Source)
	}
	own := metadata(d.Metadata)
	if own == nil {
		own = metadata{}
	}
	d.Plain = d.Plain && d.Text == string(file)
	own.set(keyEncoding, encoding)
	own.times(d)
	own.complete(d)
	d.Metadata = own
	for i, b := range d.Blocks {
		d.Blocks[i].Metadata = metadata(b.Metadata).over(own)
	}
	if len(d.Blocks) == 0 {
		return &InputError{Path: d.Path, Msg: "there is no text in it except headings, lists of links and markup", Hint: "add text or leave the file out"}
	}
	return nil
}

// stem returns the last element of a source name without its extensions.
func stem(source string) string {
	name := path.Base(source)
	name = strings.TrimSuffix(name, ".gz")
	if s := strings.TrimSuffix(name, path.Ext(name)); s != "" {
		return s
	}
	return name
}
