package state

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Where returns the place of a passage for a reader: title, section, page or slide, line. A section
// of a workbook is a sheet.
func (p Passage) Where() string {
	name := p.Title
	if name == "" {
		name = "document " + p.Doc
	}
	parts := []string{name}
	paged, sheet := "page", ""
	switch strings.ToLower(path.Ext(p.Source)) {
	case ".pptx", ".odp":
		paged = "slide"
	case ".xlsx", ".ods":
		sheet = "sheet "
	}
	if p.Section != "" && p.Section != p.Title {
		parts = append(parts, sheet+strings.TrimPrefix(p.Section, p.Title+" > "))
	}
	if p.Page > 0 {
		parts = append(parts, fmt.Sprintf("%s %d", paged, p.Page))
	}
	if p.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", p.Line))
	}
	return strings.Join(parts, ", ")
}

// WhereIn is Where with the clauses, steps and rows of the passage's quotes: "clause 7.2", "steps 1
// to 3", "rows A to C".
func (p Passage) WhereIn(quotes []QuoteSpan) string {
	var parts []string
	var kinds []BlockKind
	first, last := map[BlockKind]string{}, map[BlockKind]string{}
	for _, b := range p.Blocks {
		held := slices.ContainsFunc(quotes, func(q QuoteSpan) bool { return q.Start-p.Start < b.End && b.Start < q.End-p.Start })
		name := b.name(p.Text)
		if !held || name == "" {
			continue
		}
		if first[b.Kind] == "" {
			kinds = append(kinds, b.Kind)
			first[b.Kind] = name
		}
		last[b.Kind] = name
	}
	for _, k := range kinds {
		if first[k] == last[k] {
			parts = append(parts, string(k)+" "+first[k])
		} else {
			parts = append(parts, string(k)+"s "+first[k]+" to "+last[k])
		}
	}
	if len(parts) > 0 { // the line in Where is that of the passage's beginning
		p.Line = 0
	}
	return strings.Join(append([]string{p.Where()}, parts...), ", ")
}

// longestPlace is the greatest length, in characters, of a row's first cell that names the row.
const longestPlace = 40

// name returns the number or name of a clause, a step or a row: "7.2", "3", "Otto"; empty without
// one.
func (b Block) name(text string) string {
	if b.Start < 0 || b.End > len(text) || b.Start > b.End {
		return ""
	}
	switch b.Kind {
	case BlockClause, BlockStep:
		return b.numbered(text[b.Start:b.End])
	case BlockRow:
		if len(b.Cells) > 0 {
			if name := b.Cells[0].In(text); name != "" && utf8.RuneCountInString(name) <= longestPlace {
				return name
			}
		}
	}
	return ""
}

// numbered names a block by its number. Of a number such as "7(2)" only "2" is said where
// the block's own bytes begin with that.
func (b Block) numbered(own string) string {
	n := strings.TrimRight(b.Number, ". ")
	if at := strings.LastIndexByte(n, '('); at > 0 && strings.HasSuffix(n, ")") && strings.HasPrefix(own, n[at+1:len(n)-1]) {
		n = n[at+1 : len(n)-1]
	}
	return n
}

// In returns the content of a cell on one line; text is that of its passage.
func (c Cell) In(text string) string {
	if c.Text != "" || c.Start < 0 || c.End > len(text) || c.Start > c.End {
		return strings.Join(strings.Fields(c.Text), " ")
	}
	return strings.Join(strings.Fields(text[c.Start:c.End]), " ")
}
