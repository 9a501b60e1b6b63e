package document

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"path"
	"strings"
	"unicode"

	"golang.org/x/net/html/charset"

	"example.com/assay/memory/text"
)

// Bounds of a message's structure.
const (
	deepestMail = 8
	mostParts   = 500

	deepestAttached = 2 // mails that an attachment is inside of
)

// parseEML extracts the text of a mail: its headers, then its text; of alternatives the plain one,
// if it has the words of the others. Earlier mails in it are separate blocks. Attachments are
// named, and read if their format is.
func parseEML(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	m := mailReader{ctx: ctx, d: d, o: o, out: newOffice(ctx), words: mime.WordDecoder{CharsetReader: charset.NewReaderLabel}}
	m.out.w.mail = true
	if err := m.message(raw, 0); err != nil {
		return err
	}
	m.out.finish(d)
	return nil
}

// A mailReader reads one message with those that are attached to it.
type mailReader struct {
	ctx   context.Context
	d     *Document
	o     LoadOptions
	out   officeWriter
	words mime.WordDecoder
	parts int
	bare  bool // attachments are not read
}

func (m *mailReader) message(raw []byte, depth int) error {
	msg, err := mail.ReadMessage(stoppable(m.ctx, bytes.NewReader(raw)))
	if err != nil {
		return &InputError{Path: m.d.Path, Msg: "it is not a mail: " + err.Error(), Hint: "export the mail again"}
	}
	subject := m.header(msg.Header.Get("Subject"))
	if depth == 0 {
		m.d.Title = subject
		m.d.Metadata = map[string]string{}
	}
	m.out.w.like.Group++
	m.head(msg.Header, depth)
	return m.part(textproto.MIMEHeader(msg.Header), msg.Body, depth)
}

// head writes the header fields as one block.
func (m *mailReader) head(head mail.Header, depth int) {
	w := &m.out.w
	w.endBlock()
	for _, name := range []string{"From", "To", "Cc", "Date", "Subject"} {
		value := m.header(head.Get(name))
		if value == "" {
			continue
		}
		m.out.field(name, value)
		switch {
		case depth > 0 || name == "Subject":
		case name == "Date":
			metadata(m.d.Metadata).setDate(value)
		default:
			metadata(m.d.Metadata).set(name, value)
		}
	}
	w.endBlock()
}

// header decodes a header field. One that cannot be decoded is returned unchanged.
func (m *mailReader) header(value string) string {
	if decoded, err := m.words.DecodeHeader(value); err == nil {
		value = decoded
	}
	return text.OneLine(strings.ToValidUTF8(value, "\uFFFD"))
}

// part reads a message's body, or a part of it.
func (m *mailReader) part(head textproto.MIMEHeader, body io.Reader, depth int) error {
	if m.parts++; m.parts > mostParts || depth > deepestMail {
		return nil
	}
	kind, params, err := mime.ParseMediaType(head.Get("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	switch strings.ToLower(strings.TrimSpace(head.Get("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	disposition, file, err := mime.ParseMediaType(head.Get("Content-Disposition"))
	name := m.header(file["filename"])
	if err != nil || name == "" {
		name = m.header(params["name"])
	}
	attached := err == nil && disposition == "attachment" || name != "" && !strings.HasPrefix(kind, "text/")
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		return m.multi(kind, params["boundary"], body, depth)
	case kind == "message/rfc822":
		return exceptFaults(m.message(wholePart(body), depth+1))
	case attached && name != "":
		return m.attachment(name, wholePart(body))
	case attached || !strings.HasPrefix(kind, "text/"):
		return nil
	}
	raw := wholePart(body)
	decoded, err := decode(m.ctx, raw, params["charset"])
	known := err == nil && params["charset"] != ""
	if known {
		raw = decoded
	}
	if kind == "text/html" {
		return exceptFaults(m.page(raw))
	}
	if !known {
		if raw, _, err = inUTF8(m.ctx, m.d.Path, raw); err != nil {
			return err
		}
	}
	m.plain(string(raw))
	return nil
}

// attachment names an attachment, and reads it if its format is. Its blocks are under its name.
func (m *mailReader) attachment(name string, raw []byte) error {
	w := &m.out.w
	w.like.Group++
	w.endBlock()
	w.text("Attachment: " + name)
	w.endBlock()
	if m.bare || m.o.within >= deepestAttached || len(raw) == 0 || path.Ext(name) == "" {
		return nil
	}
	if _, err := detect(name, raw); err != nil { // a picture, a program: it has no text to lose
		return nil
	}
	d := Document{Source: path.Base(name), Path: name}
	o := m.o
	o.TextField, o.TitleField, o.IDField, o.DocField = "", "", "", ""
	o.within++
	if err := parse(m.ctx, &d, raw, o); err != nil {
		if fault, ok := errors.AsType[*InputError](err); ok {
			return (&recordText{d: m.d}).lose(fault)
		}
		return err
	}
	from := w.out.Len()
	w.out.WriteString(d.Text)
	w.out.WriteString("\n\n")
	w.start = w.out.Len()
	first := w.like.Group + 1
	for _, b := range moved(d.Blocks, from) {
		w.like.Group = max(w.like.Group, first+b.Group)
		b.Group += first
		b.Section = strings.Trim(name+" > "+b.Section, " >")
		b.Element, b.ID, b.Doc, b.Title, b.Metadata = nil, "", "", "", nil
		w.blocks = append(w.blocks, b)
	}
	w.like.Group++
	return nil
}

// wholePart reads a part to its end. Of a part that is cut off it returns the beginning.
func wholePart(body io.Reader) []byte {
	raw, _ := io.ReadAll(body)
	return raw
}

// exceptFaults drops the error of a faulty part, so that the others are still read.
func exceptFaults(err error) error {
	if _, ok := errors.AsType[*InputError](err); ok {
		return nil
	}
	return err
}

// multi reads the parts of a body; of alternatives one.
func (m *mailReader) multi(kind, boundary string, body io.Reader, depth int) error {
	if boundary == "" {
		return nil
	}
	var all []alternative
	parts := multipart.NewReader(body, boundary)
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			break // its end, or a part that is cut
		}
		if kind != "multipart/alternative" {
			if err := m.part(part.Header, part, depth+1); err != nil {
				return err
			}
			continue
		}
		if m.parts++; m.parts > mostParts {
			break
		}
		of, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil {
			of = "text/plain"
		}
		all = append(all, alternative{part.Header, of, wholePart(part)})
	}
	if best := m.choose(all); best != nil {
		return m.part(best.head, bytes.NewReader(best.raw), depth+1)
	}
	return nil
}

type alternative struct {
	head textproto.MIMEHeader
	kind string
	raw  []byte
}

// choose returns the plain text of some alternatives if it has the words of the HTML page. Plain
// texts that only link to the page do not.
func (m *mailReader) choose(all []alternative) *alternative {
	var plain, page *alternative
	for i := range all {
		switch a := &all[i]; {
		case a.kind == "text/plain" && plain == nil && len(bytes.TrimSpace(a.raw)) > 0:
			plain = a
		case a.kind == "text/html" || strings.HasPrefix(a.kind, "multipart/"):
			page = a
		}
	}
	if plain == nil || page == nil {
		if plain == nil {
			plain = page
		}
		return plain
	}
	words := map[string]bool{}
	for _, w := range m.wordsOf(*plain) {
		words[w] = true
	}
	held, told := m.wordsOf(*page), 0
	for _, w := range held {
		if words[w] {
			told++
		}
	}
	if float64(told) < wordsTold*float64(len(held)) {
		return page
	}
	return plain
}

// wordsTold is the least share of a page's words in the plain text that replaces it.
const wordsTold = .6

func (m *mailReader) wordsOf(a alternative) []string {
	sub := mailReader{ctx: m.ctx, d: &Document{Path: m.d.Path, Metadata: map[string]string{}}, o: m.o, out: newOffice(m.ctx), words: m.words, parts: m.parts, bare: true}
	if sub.part(a.head, bytes.NewReader(a.raw), deepestMail-2) != nil {
		return nil
	}
	return strings.FieldsFunc(strings.ToLower(sub.out.w.out.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

func (m *mailReader) page(raw []byte) error {
	page, root, err := parsePage(m.ctx, m.d.Path, raw)
	if err != nil {
		return err
	}
	n := len(m.out.w.blocks)
	m.out.w.page = page
	m.out.w.content(root)
	m.quoteBlocks(n)
	return nil
}
