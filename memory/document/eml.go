package document

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"example.com/assay/memory/text"
)

// Bounds of a message's structure.
const (
	deepestMail = 8
	mostParts   = 500
)

// parseEML extracts the text of a mail: its head, then its text, of alternatives
// the plain one. Attached messages are read, other attachments are named.
func parseEML(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	m := mailReader{ctx: ctx, d: d, out: newOffice(ctx), words: mime.WordDecoder{CharsetReader: charset.NewReaderLabel}}
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
	out   officeWriter
	words mime.WordDecoder
	parts int
}

func (m *mailReader) message(raw []byte, depth int) error {
	msg, err := mail.ReadMessage(stoppable(m.ctx, bytes.NewReader(raw)))
	if err != nil {
		if m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		return &InputError{Path: m.d.Path, Msg: "it is not a mail: " + err.Error(), Hint: "export the mail again"}
	}
	subject := m.header(msg.Header.Get("Subject"))
	if depth == 0 {
		m.d.Title = subject
		m.d.Metadata = map[string]string{}
	}
	var head strings.Builder
	for _, name := range []string{"From", "To", "Cc", "Date", "Subject"} {
		value := m.header(msg.Header.Get(name))
		if value == "" {
			continue
		}
		fmt.Fprintf(&head, "%s: %s\n", name, value)
		if depth == 0 && name != "Subject" {
			metadata(m.d.Metadata).set(name, value)
		}
	}
	m.out.w.like.Group++
	m.plain(head.String())
	return m.part(textproto.MIMEHeader(msg.Header), msg.Body, depth)
}

// header decodes a field of a head. What cannot be decoded stays as it is.
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
	attached := err == nil && disposition == "attachment"
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		return m.multi(kind, params["boundary"], body, depth)
	case kind == "message/rfc822":
		raw, err := m.read(body)
		if err != nil {
			return err
		}
		if err := m.message(raw, depth+1); err != nil && m.ctx.Err() != nil {
			return err
		}
		return nil
	case attached || !strings.HasPrefix(kind, "text/"):
		if name := m.header(file["filename"]); attached && name != "" {
			m.plain("Attachment: " + name)
		}
		return nil
	}
	raw, err := m.read(body)
	if err != nil {
		return err
	}
	if kind == "text/html" {
		return m.page(raw, params["charset"])
	}
	if decoded, err := decode(m.ctx, raw, params["charset"]); err == nil && params["charset"] != "" {
		raw = decoded
	} else if raw, _, err = inUTF8(m.ctx, m.d.Path, raw); err != nil {
		return err
	}
	m.plain(string(raw))
	return nil
}

// read reads a part to its end; a part that is cut is what there is of it.
func (m *mailReader) read(body io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(body)
	if err != nil && m.ctx.Err() != nil {
		return nil, m.ctx.Err()
	}
	return raw, nil
}

// multi reads the parts of a body: of alternatives the first that is plain text,
// else the last.
func (m *mailReader) multi(kind, boundary string, body io.Reader, depth int) error {
	if boundary == "" {
		return nil
	}
	type alternative struct {
		head textproto.MIMEHeader
		raw  []byte
	}
	var best *alternative
	parts := multipart.NewReader(body, boundary)
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			if m.ctx.Err() != nil {
				return m.ctx.Err()
			}
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
		plain := err == nil && of == "text/plain"
		if best != nil && !plain && !strings.HasPrefix(of, "text/html") && !strings.HasPrefix(of, "multipart/") {
			continue
		}
		raw, err := m.read(part)
		if err != nil {
			return err
		}
		if plain && len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		best = &alternative{part.Header, raw}
		if plain {
			break
		}
	}
	if best == nil {
		return nil
	}
	return m.part(best.head, bytes.NewReader(best.raw), depth+1)
}

// plain writes text with its paragraphs.
func (m *mailReader) plain(s string) {
	s = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"), "\x00", ""))
	w := &m.out.w
	w.endBlock()
	start := w.out.Len()
	w.out.WriteString(s)
	for _, b := range paragraphs(&w.page.watch, s, 0, len(s), w.like) {
		b.Start, b.End = b.Start+start, b.End+start
		w.blocks = append(w.blocks, b)
	}
	w.out.WriteString("\n\n")
	w.start = w.out.Len()
}

// page writes a body that is a page of HTML.
func (m *mailReader) page(raw []byte, label string) error {
	if decoded, err := decode(m.ctx, raw, label); err == nil && label != "" {
		raw = decoded
	}
	raw, err := htmlText(m.ctx, m.d.Path, raw)
	var page *htmlPage
	var root *html.Node
	if err == nil {
		page, root, err = parsePage(m.ctx, m.d.Path, raw)
	}
	if err == nil {
		m.out.w.page = page
		m.out.w.content(root)
	}
	if _, ok := errors.AsType[*InputError](err); ok { // one bad part does not cost the others
		return nil
	}
	return err
}
