package document

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
)

// Bounds for blocks at the head or foot of every page of a site.
const (
	siteEdge  = 3   // blocks at either end of a page
	siteBytes = 400 // of such a block, no more
)

// Edges returns the names of the blocks at the head and foot of a page, sorted. Blocks of two pages
// have the same name if they have the same links, or the same words without numbers. Only HTML has
// any.
func (d *Document) Edges() []string {
	var out []string
	d.edges(func(_ int, name string) { out = append(out, name) })
	slices.Sort(out)
	return slices.Compact(out)
}

// DropEdges removes the blocks with these names from the head and foot of a page, unless nothing
// else would remain.
func (d *Document) DropEdges(names map[string]bool) {
	drop := map[int]bool{}
	d.edges(func(i int, name string) {
		if names[name] {
			drop[i] = true
		}
	})
	if len(drop) == len(d.Blocks) {
		return
	}
	var kept []Block
	for i, b := range d.Blocks {
		if !drop[i] {
			kept = append(kept, b)
		}
	}
	d.Blocks = kept
}

func (d *Document) edges(each func(block int, name string)) {
	if d.Format != "html" {
		return
	}
	for i, b := range d.Blocks {
		if (i < siteEdge || i >= len(d.Blocks)-siteEdge) && b.End-b.Start <= siteBytes {
			each(i, edgeName(d.Text[b.Start:b.End], b.links))
		}
	}
}

// edgeName identifies a block by its links where they are a third of it, else by its
// words.
func edgeName(s string, links []string) string {
	linked := 0
	for _, l := range links {
		linked += len(l)
	}
	if len(links) > 1 && 3*linked >= len(s) {
		s = "links: " + strings.Join(links, " | ")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return unicode.ToLower(r)
	}, text.OneLine(s))
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
