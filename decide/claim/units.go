package claim

import (
	"slices"
	"strings"

	"example.com/assay/decide/claim/facts"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

// A unit is a piece of a passage that is judged alone, with the bytes to quote.
type unit struct {
	facts.Unit
	passage    state.Passage
	start, end int // bytes of the passage's text
}

func (u unit) quote() state.Quote { return state.QuoteIn(u.passage, u.start, u.end-u.start) }

// unitsOf returns the units of evidence: rows, fields, answers, items, and the sentences of
// everything else. Questions, headings and table headers are read as context, and prompt injection
// is left out.
func (c *Check) unitsOf(evidence []state.Evidence) []unit {
	var out []unit
	tables := map[string]int{}
	for _, e := range evidence {
		p := e.Passage
		injected := c.inspect(p)
		ordered := func(start, end int) bool {
			return slices.ContainsFunc(injected, func(o state.Order) bool { return o.Start < end && start < o.End })
		}
		b := builder{p: p, version: versionOf(p), tables: tables, ordered: ordered}
		at := 0
		for _, k := range p.Blocks {
			if k.Start < at || k.End < k.Start || k.End > len(p.Text) {
				continue // no passage has such blocks
			}
			b.sentences(at, k.Start, "", false)
			b.block(k)
			at = k.End
		}
		b.sentences(at, len(p.Text), "", false)
		out = append(out, b.out...)
	}
	return out
}

// versionOf returns the date or the first day of validity that a passage's document states.
func versionOf(p state.Passage) string {
	for _, key := range []string{"valid_from", "date", "modified"} {
		if d, ok := values.Date(p.Metadata[key], nil); ok {
			return d
		}
	}
	return ""
}

type builder struct {
	p       state.Passage
	version string
	tables  map[string]int // by document and headers
	typed   bool           // within a block
	before  string
	heads   []string // of a table whose rows do not name them
	ordered func(start, end int) bool
	out     []unit
}

func (b *builder) add(start, end int, said, context string, row, earlier bool) {
	if b.ordered(start, end) || !strings.ContainsFunc(said, text.IsWord) {
		return
	}
	b.out = append(b.out, unit{facts.Unit{
		Text: said, Context: context, Title: b.p.Section + "\n" + b.p.Title, Before: b.before, Row: row, Version: b.version, Earlier: earlier, Block: b.typed,
	}, b.p, start, end})
}

// sentences adds the sentences of a stretch of the text.
func (b *builder) sentences(start, end int, context string, earlier bool) {
	for _, s := range text.Sentences(b.p.Text[start:end]) {
		said := b.p.Text[start+s.Start : start+s.End]
		b.add(start+s.Start, start+s.End, said, context, false, earlier)
		b.before = said
	}
}

func (b *builder) block(k state.Block) {
	context := strings.Join([]string{k.Label, k.Under}, "\n")
	b.typed = true
	defer func() { b.typed = false }()
	bytes := b.p.Text[k.Start:k.End]
	switch k.Kind {
	case state.BlockHeading:
		if !strings.HasSuffix(strings.TrimSpace(bytes), "?") {
			b.add(k.Start, k.End, bytes, context, false, false)
		}
		b.before = bytes
	case state.BlockRow:
		if said := b.row(k); said != "" {
			b.add(k.Start, k.End, said, context, true, false)
			if n := len(b.out) - 1; n >= 0 && b.out[n].Row {
				b.out[n].Table = b.tableOf(k)
			}
		}
	case state.BlockField:
		b.add(k.Start, k.End, behindTime(bytes, k), context, false, false)
	case state.BlockQuoted:
		b.sentences(k.Start, k.End, context, true)
	case state.BlockAnswer:
		if bytes = behindTime(bytes, k); len(bytes) == k.End-k.Start {
			b.sentences(k.Start, k.End, context, false)
		} else {
			b.add(k.Start, k.End, bytes, context, false, false)
		}
	default:
		b.sentences(k.Start, k.End, context, false)
	}
}

// behindTime returns a message from its sender on: "[12:05] Ines: …".
func behindTime(bytes string, k state.Block) string {
	if len(k.Cells) == 0 {
		return bytes
	}
	return bytes[max(0, strings.Index(bytes, k.Cells[0].Header)):]
}

// row returns the text of a row with its headers; "" for the header row itself. In a table without
// headers, a row of names above as many values serves as the header.
func (b *builder) row(k state.Block) string {
	var list, cells []string
	headed := false
	for _, cell := range k.Cells {
		value := cell.Text
		if value == "" && cell.Start >= 0 && cell.Start <= cell.End && cell.End <= len(b.p.Text) {
			value = b.p.Text[cell.Start:cell.End]
		}
		list = append(list, strings.ReplaceAll(text.OneLine(value), ";", ","))
		headed = headed || cell.Header != ""
	}
	if !headed && numbersIn(list) == 0 {
		b.heads = list
	}
	for i, value := range list {
		head := k.Cells[i].Header
		if !headed && len(b.heads) == len(list) && numbersIn(b.heads) == 0 && numbersIn(list) > 1 {
			head = b.heads[i]
		}
		switch {
		case value == "":
		case head != "":
			cells = append(cells, head+": "+value)
		default:
			cells = append(cells, value)
		}
	}
	if !headed && len(list) > 1 && !strings.ContainsAny(b.p.Text[k.Start:k.End], "0123456789") {
		return ""
	}
	return strings.Join(cells, "; ")
}

// numbersIn counts the cells that begin with a digit.
func numbersIn(cells []string) int {
	n := 0
	for _, c := range cells {
		if c != "" && c[0] >= '0' && c[0] <= '9' {
			n++
		}
	}
	return n
}

// tableOf returns the number of a row's table. Rows with the same headers belong to one table.
func (b *builder) tableOf(k state.Block) int {
	key := b.p.Doc
	for _, c := range k.Cells {
		key += "\x00" + c.Header
	}
	if _, known := b.tables[key]; !known {
		b.tables[key] = len(b.tables)
	}
	return b.tables[key]
}
