package document

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
	"time"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Calendars (RFC 5545) and address books (RFC 6350) are lines NAME;PARAMETER=VALUE:value between
// BEGIN and END. Each event, task, journal entry and person becomes a record with fields.

// cardFields are the names under which properties are written; what is not here, such as a
// picture, a key, or what only programs need, is left out.
var cardFields = map[string]string{
	"SUMMARY": "Summary", "DTSTART": "When", "DUE": "Due", "DURATION": "Duration", "LOCATION": "Location", "DESCRIPTION": "Description",
	"ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "RRULE": "Repeats", "STATUS": "Status", "COMPLETED": "Completed", "CATEGORIES": "Categories",
	"FN": "Name", "NICKNAME": "Nickname", "TEL": "Phone number", "EMAIL": "E-mail address", "ADR": "Address", "ORG": "Organisation", "TITLE": "Title", "ROLE": "Role",
	"BDAY": "Birthday", "ANNIVERSARY": "Anniversary", "NOTE": "Note", "URL": "Web address",
}

// isCards reports a calendar or an address book by its first line.
func isCards(raw []byte) bool {
	first := strings.ToUpper(strings.TrimSpace(strings.TrimPrefix(string(raw[:min(len(raw), 64)]), bom)))
	return strings.HasPrefix(first, "BEGIN:VCALENDAR") || strings.HasPrefix(first, "BEGIN:VCARD")
}

// A cardProperty is a line of a calendar or an address book.
type cardProperty struct{ name, kind, value string }

func parseCards(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	out, w, cards := newOffice(ctx), &watch{ended: ctx.Err}, 0
	write := func(c []cardProperty) {
		id := fmt.Sprintf("%s:%d", d.Source, cards+1)
		out.w.like.ID, out.w.like.Doc, out.w.like.Title = id, id, stem(d.Source)
		if out.card(c) {
			cards++
		}
	}
	var open [][]cardProperty // of the components that are open
	for line := range unfolded(strings.TrimPrefix(string(raw), bom)) {
		w.step()
		p := cardLine(line)
		switch {
		case p.name == "BEGIN":
			open = append(open, nil)
		case len(open) == 0:
		case p.name == "END":
			last := len(open) - 1
			write(open[last])
			open = open[:last]
		default:
			open[len(open)-1] = append(open[len(open)-1], p)
		}
	}
	for _, c := range open { // the file is cut off
		write(c)
	}
	out.finish(d)
	return nil
}

// card writes a component with its fields, and reports whether it has any.
func (o *officeWriter) card(list []cardProperty) bool {
	w, fields, ends := &o.w, 0, ""
	for _, p := range list {
		if p.name == "DTEND" {
			ends = p.value
		}
		if (p.name == "SUMMARY" || p.name == "FN") && p.value != "" {
			w.like.Title = caption(p.value)
		}
		if cardFields[p.name] != "" && p.value != "" {
			fields++
		}
	}
	if fields == 0 {
		return false
	}
	w.like.Group++
	for _, p := range list {
		name := cardFields[p.name]
		if name == "" || p.value == "" {
			continue
		}
		if p.name == "DTSTART" && ends != "" && ends != p.value {
			p.value += " to " + ends
			if day, _, ok := strings.Cut(ends, ", "); ok && strings.HasPrefix(p.value, day+", ") {
				p.value = strings.TrimSuffix(p.value, ends) + strings.TrimPrefix(ends, day+", ")
			}
		}
		if p.kind != "" {
			name += " (" + p.kind + ")"
		}
		start := w.out.Len()
		w.out.WriteString(name + ": " + p.value)
		end := w.out.Len()
		w.out.WriteByte('\n')
		w.parts = append(w.parts, Block{Kind: state.BlockField, Start: start, End: end, Label: name,
			Cells: []state.Cell{{Header: name, Start: end - len(p.value), End: end}}})
	}
	w.endBlock()
	return true
}

// unfolded are the lines of a text, those that begin with a space joined to the one before.
func unfolded(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		var line strings.Builder
		soft := false // the line goes on as quoted-printable does
		for next := range strings.Lines(s) {
			next = strings.TrimRight(next, "\r\n")
			switch {
			case soft || next != "" && (next[0] == ' ' || next[0] == '\t'):
				if !soft {
					next = next[1:]
				}
			case line.Len() > 0:
				if !yield(line.String()) {
					return
				}
				line.Reset()
			}
			line.WriteString(next)
			if soft = strings.HasSuffix(next, "=") && strings.Contains(strings.ToUpper(line.String()[:min(line.Len(), 200)]), "QUOTED-PRINTABLE"); soft {
				line.WriteByte('\n') // quotedprintable takes it away with the sign
			}
		}
		if line.Len() > 0 {
			yield(line.String())
		}
	}
}

// cardLine reads a line: item1.TEL;TYPE=CELL:+47 912 33 010.
func cardLine(line string) cardProperty {
	end, quoted := -1, false
	for i := 0; i < len(line) && end < 0; i++ {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ':' && !quoted:
			end = i
		}
	}
	if end < 0 {
		return cardProperty{}
	}
	parts := strings.Split(line[:end], ";")
	p := cardProperty{name: strings.ToUpper(strings.TrimSpace(parts[0])), value: line[end+1:]}
	if _, name, ok := strings.Cut(p.name, "."); ok {
		p.name = name
	}
	for _, parameter := range parts[1:] {
		key, value, _ := strings.Cut(parameter, "=")
		switch strings.ToUpper(key) {
		case "TYPE":
			if p.name == "TEL" || p.name == "EMAIL" || p.name == "ADR" {
				p.kind = strings.ToLower(strings.Trim(value, `"`))
			}
		case "CN":
			p.value = strings.Trim(value, `"`)
		case "QUOTED-PRINTABLE", "ENCODING":
			if strings.EqualFold(cmp.Or(value, key), "QUOTED-PRINTABLE") {
				if s, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(p.value))); err == nil {
					p.value = string(s)
				}
			}
		}
	}
	switch p.name {
	case "DTSTART", "DTEND", "DUE", "COMPLETED", "BDAY", "ANNIVERSARY":
		p.value = cardTime(p.value)
	case "ADR", "ORG":
		p.value = joinedParts(p.value)
	}
	p.value = strings.NewReplacer(`\n`, " ", `\N`, " ", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(p.value)
	p.value = text.OneLine(wellFormed(p.value))
	if p.name == "ORGANIZER" || p.name == "ATTENDEE" || p.name == "TEL" {
		if _, rest, ok := strings.Cut(p.value, ":"); ok {
			p.value = rest // of mailto: and tel:
		}
	}
	return p
}

// joinedParts are the parts of a structured value that say something.
func joinedParts(s string) string {
	var list []string
	for part := range strings.SplitSeq(strings.ReplaceAll(s, `\;`, "\x00"), ";") {
		if part = strings.TrimSpace(strings.ReplaceAll(part, "\x00", ";")); part != "" {
			list = append(list, part)
		}
	}
	return strings.Join(list, ", ")
}

// cardTime writes a date, or a date with a time, in words; anything else stays.
func cardTime(s string) string {
	s = strings.TrimSpace(s)
	for _, f := range []struct{ layout, said string }{
		{"20060102T150405Z", "Monday 2 January 2006, 15:04 UTC"}, {"20060102T150405", "Monday 2 January 2006, 15:04"}, {"20060102T1504", "Monday 2 January 2006, 15:04"},
		{"20060102", "Monday 2 January 2006"}, {time.DateOnly, "2 January 2006"}, {time.RFC3339, "Monday 2 January 2006, 15:04"}, {"--0102", "2 January"}, {"--01-02", "2 January"},
	} {
		if t, err := time.Parse(f.layout, s); err == nil {
			return t.Format(f.said)
		}
	}
	return s
}
