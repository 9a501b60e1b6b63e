package document

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
	"time"
	"unicode"

	"example.com/assay/memory/text"
)

// Calendars (RFC 5545) and address books (RFC 6350) are lines NAME;PARAMETER=VALUE:value between
// BEGIN and END. Each event, task, journal entry and person becomes a record of fields.

// cardKinds are the components that become records; alarms and time zones do not.
var cardKinds = text.Set(`VEVENT VTODO VJOURNAL VCARD`)

// cardFields are the displayed names of properties. Others, such as pictures and technical
// properties, are left out.
var cardFields = map[string]string{
	"SUMMARY": "Summary", "DTSTART": "When", "DUE": "Due", "DURATION": "Duration", "LOCATION": "Location", "DESCRIPTION": "Description",
	"ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "RRULE": "Repeats", "STATUS": "Status", "COMPLETED": "Completed", "CATEGORIES": "Categories",
	"FN": "Name", "NICKNAME": "Nickname", "TEL": "Phone number", "EMAIL": "E-mail address", "ADR": "Address", "ORG": "Organisation", "TITLE": "Title", "ROLE": "Role",
	"BDAY": "Birthday", "ANNIVERSARY": "Anniversary", "NOTE": "Note", "URL": "Web address",
}

// isCards reports a calendar or an address book by its first line, also in two bytes a letter.
func isCards(raw []byte) bool {
	first := strings.ReplaceAll(string(raw[:min(len(raw), 64)]), "\x00", "")
	first = strings.ToUpper(strings.TrimLeftFunc(first, func(r rune) bool { return !unicode.IsLetter(r) }))
	return strings.HasPrefix(first, "BEGIN:VCALENDAR") || strings.HasPrefix(first, "BEGIN:VCARD")
}

// A card is a component that is being read, with its properties in order.
type card struct {
	kind string
	list []cardProperty
}

// A cardProperty is a line of a calendar or an address book. Parameters have upper-case names.
type cardProperty struct {
	name, value string
	parameters  map[string]string
}

func parseCards(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	out, w, records := newOffice(ctx), &watch{ended: ctx.Err}, 0
	write := func(c card) {
		id := fmt.Sprintf("%s:%d", d.Source, records+1)
		out.w.like.ID, out.w.like.Doc, out.w.like.Title = id, id, stem(d.Source)
		if cardKinds[c.kind] && c.write(&out) {
			records++
		}
	}
	var open []card
	for line := range unfolded(strings.TrimPrefix(string(raw), bom)) {
		w.step()
		p := cardLine(line)
		switch last := len(open) - 1; {
		case p.name == "BEGIN":
			open = append(open, card{kind: strings.ToUpper(p.value)})
		case last < 0:
		case p.name == "END":
			write(open[last])
			open = open[:last]
		default:
			open[last].list = append(open[last].list, p)
		}
	}
	for _, c := range open { // the file is cut off
		write(c)
	}
	out.finish(d)
	return nil
}

// property returns the first property of a name; the zero value without one.
func (c card) property(name string) cardProperty {
	for _, p := range c.list {
		if p.name == name {
			return p
		}
	}
	return cardProperty{}
}

// write writes a record, and reports whether it has a field.
func (c card) write(o *officeWriter) bool {
	if title := cmp.Or(c.property("SUMMARY").value, c.property("FN").value); title != "" {
		o.w.like.Title = caption(title)
	}
	ends, cancelled := c.property("DTEND"), strings.EqualFold(c.property("STATUS").value, "CANCELLED")
	fields := 0
	for _, p := range c.list {
		name, value := cardFields[p.name], p.value
		if name == "" || value == "" {
			continue
		}
		switch p.name {
		case "DTSTART":
			value = p.until(ends)
			if cancelled {
				value += " (cancelled)"
			}
		case "DUE", "COMPLETED", "BDAY", "ANNIVERSARY":
			value = p.until(cardProperty{})
		case "TEL", "EMAIL", "ADR":
			if kind := p.parameters["TYPE"]; kind != "" {
				name += " (" + strings.ToLower(kind) + ")"
			}
		}
		if fields++; fields == 1 {
			o.w.like.Group++
		}
		o.field(name, value)
	}
	o.w.endBlock()
	return fields > 0
}

// unfolded yields the lines of a text, with continuation lines, which begin with a space, joined to
// the one before.
func unfolded(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		var line strings.Builder
		soft := false // the line continues in quoted-printable
		for next := range strings.Lines(s) {
			next = strings.TrimRight(next, "\r\n")
			switch {
			case soft:
			case next != "" && (next[0] == ' ' || next[0] == '\t'):
				next = next[1:]
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

var cardEscapes = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`)

// cardLine reads a line such as item1.TEL;TYPE=CELL:+47 912 33 010. A line without a colon has
// no name.
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
	head := strings.Split(line[:end], ";")
	p := cardProperty{name: strings.ToUpper(strings.TrimSpace(head[0])), value: line[end+1:], parameters: map[string]string{}}
	if _, name, ok := strings.Cut(p.name, "."); ok { // of a group
		p.name = name
	}
	for _, parameter := range head[1:] {
		key, value, named := strings.Cut(parameter, "=")
		if !named { // version 2.1: TEL;CELL, or NOTE;QUOTED-PRINTABLE
			if key, value = "TYPE", key; strings.EqualFold(value, "QUOTED-PRINTABLE") {
				key = "ENCODING"
			}
		}
		key, value = strings.ToUpper(key), text.OneLine(wellFormed(strings.Trim(value, `"`)))
		p.parameters[key] = cmp.Or(p.parameters[key], value)
	}
	if strings.EqualFold(p.parameters["ENCODING"], "QUOTED-PRINTABLE") {
		if s, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(p.value))); err == nil {
			p.value = string(s)
		}
	}
	if p.name == "ADR" || p.name == "ORG" {
		p.value = joinedParts(p.value)
	}
	var lines []string
	for line := range strings.Lines(wellFormed(cardEscapes.Replace(p.value))) {
		if line = text.OneLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	p.value = strings.Join(lines, "\n")
	for _, scheme := range []string{"mailto:", "tel:"} {
		if len(p.value) > len(scheme) && strings.EqualFold(p.value[:len(scheme)], scheme) {
			p.value = p.value[len(scheme):]
		}
	}
	p.value = cmp.Or(p.parameters["CN"], p.value)
	return p
}

// joinedParts joins the non-empty parts of a structured value.
func joinedParts(s string) string {
	var list []string
	for part := range strings.SplitSeq(strings.ReplaceAll(s, `\;`, "\x00"), ";") {
		if part = strings.TrimSpace(strings.ReplaceAll(part, "\x00", ";")); part != "" {
			list = append(list, part)
		}
	}
	return strings.Join(list, ", ")
}

// cardLayouts are the ways in which times are written, and are said.
var cardLayouts = []struct{ layout, day, clock string }{
	{"20060102T150405Z", "Monday 2 January 2006", "15:04 UTC"}, {"20060102T150405", "Monday 2 January 2006", "15:04"}, {"20060102T1504", "Monday 2 January 2006", "15:04"},
	{"20060102", "Monday 2 January 2006", ""}, {time.DateOnly, "2 January 2006", ""}, {time.RFC3339, "Monday 2 January 2006", "15:04 -07:00"},
	{"--0102", "2 January", ""}, {"--01-02", "2 January", ""},
}

// moment parses the time of a property; clock is the layout of its time of day, "" for a whole day.
func (p cardProperty) moment() (at time.Time, day, clock string, ok bool) {
	for _, f := range cardLayouts {
		if t, err := time.Parse(f.layout, p.value); err == nil {
			if year := p.parameters["X-APPLE-OMIT-YEAR"]; year != "" && t.Format("2006") == year {
				f.day = "2 January"
			}
			return t, f.day, f.clock, true
		}
	}
	return at, "", "", false
}

// until describes when something begins and, if different, ends. The end of whole days is the day
// after the last. A value that is not a time is returned unchanged.
func (p cardProperty) until(end cardProperty) string {
	at, day, clock, ok := p.moment()
	if !ok {
		return p.value
	}
	said := at.Format(day)
	if clock != "" {
		said += ", " + at.Format(clock)
	}
	to, dayTo, clockTo, ok := end.moment()
	if ok && clockTo == "" {
		to = to.AddDate(0, 0, -1)
	}
	switch sameDay := to.Format(time.DateOnly) == at.Format(time.DateOnly); {
	case !ok || !to.After(at):
	case clockTo == "":
		said += " to " + to.Format(dayTo)
	case sameDay && p.parameters["TZID"] == end.parameters["TZID"]:
		said += " to " + to.Format(clockTo)
	default:
		said += " to " + to.Format(dayTo) + ", " + to.Format(clockTo)
	}
	if zone := p.parameters["TZID"]; zone != "" && clock != "" {
		said += " (" + zone + ")"
	}
	return said
}
