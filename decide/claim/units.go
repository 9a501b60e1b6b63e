package claim

import (
	"slices"
	"strings"

	"example.com/assay/decide/claim/facts"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

// A unit is a piece of a passage that is judged by itself, with the bytes to quote.
type unit struct {
	facts.Unit
	passage    state.Passage
	start, end int // bytes of the passage's text
}

func (u unit) quote() state.Quote { return state.QuoteIn(u.passage, u.start, u.end-u.start) }

// unitsOf are the units of evidence: rows, fields, answers, items, and the sentences of
// everything else. Questions, headings and the headers of tables are read with others,
// and what gives orders is left out.
func (c *Check) unitsOf(evidence []state.Evidence) []unit {
	var out []unit
	for i, e := range evidence {
		p := e.Passage
		orders := c.orders(p)
		ordered := func(start, end int) bool {
			return slices.ContainsFunc(orders, func(o state.Order) bool { return o.Start < end && start < o.End })
		}
		b := builder{p: p, version: versionOf(p), table: i, ordered: ordered}
		at := 0
		for _, k := range p.Blocks {
			if k.Start < at || k.End < k.Start || k.End > len(p.Text) {
				continue // no passage that was read has such blocks
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

// versionOf is when a passage's document is from or valid from, by what it says of itself.
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
	table   int
	typed   bool // within a block
	before  string
	ordered func(start, end int) bool
	out     []unit
}

func (b *builder) add(start, end int, said, context, name string, earlier bool) {
	if b.ordered(start, end) || strings.TrimSpace(said) == "" {
		return
	}
	b.out = append(b.out, unit{facts.Unit{
		Text: said, Context: context, Title: b.p.Section + "\n" + b.p.Title, Table: b.table, Before: b.before, Name: name, Version: b.version, Earlier: earlier, Block: b.typed,
	}, b.p, start, end})
}

// sentences adds those of a stretch of the text.
func (b *builder) sentences(start, end int, context string, earlier bool) {
	for _, s := range text.Sentences(b.p.Text[start:end]) {
		said := b.p.Text[start+s.Start : start+s.End]
		b.add(start+s.Start, start+s.End, said, context, "", earlier)
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
			b.add(k.Start, k.End, bytes, context, "", false)
		}
		b.before = bytes
	case state.BlockRow:
		if said, name := b.row(k); said != "" {
			b.add(k.Start, k.End, said, context, name, false)
		}
	case state.BlockField:
		b.add(k.Start, k.End, bytes, context, "", false)
	case state.BlockQuoted:
		b.sentences(k.Start, k.End, context, true)
	default:
		b.sentences(k.Start, k.End, context, false)
	}
}

// row says a row with its headers, and what names it: its first cell, and those after it
// up to the first that holds a number. The row that holds the headers says nothing.
func (b *builder) row(k state.Block) (said, name string) {
	var cells []string
	headed, naming := false, true
	for i, cell := range k.Cells {
		value := cell.Text
		if value == "" && cell.Start >= 0 && cell.Start <= cell.End && cell.End <= len(b.p.Text) {
			value = b.p.Text[cell.Start:cell.End]
		}
		value = strings.ReplaceAll(strings.Join(strings.Fields(value), " "), ";", ",")
		headed = headed || cell.Header != ""
		if naming && i == 0 && value != "" {
			name, naming = value, false
		}
		switch {
		case value == "":
		case i == 0 && cell.Header != "":
			cells = append(cells, cell.Header+" "+value)
		case cell.Header != "":
			cells = append(cells, cell.Header+": "+value)
		default:
			cells = append(cells, value)
		}
	}
	if !headed && len(k.Cells) > 1 && !strings.ContainsAny(b.p.Text[k.Start:k.End], "0123456789") {
		return "", ""
	}
	return strings.Join(cells, "; "), name
}
