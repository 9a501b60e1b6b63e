package document

import (
	"strings"

	"example.com/assay/memory/text"
)

// An entry is a term of a description list with its description. A part of the description is of
// use only under its term.
type entry struct {
	outer *entry // that contains the list, or nil
	head  string // the term
	depth int    // how many are outside
}

// deepestEntry is the greatest nesting of entries. Deeper ones count as parts of the last one.
const deepestEntry = 8

// longestHead bounds a term, in bytes: every passage carries those above it.
const longestHead = 160

func (e *entry) open(head string) *entry {
	if len(head) > longestHead {
		head = text.Clip(head, longestHead)
	}
	if e == nil {
		return &entry{head: head}
	}
	if e.depth+1 == deepestEntry {
		return e
	}
	return &entry{outer: e, head: head, depth: e.depth + 1}
}

// at returns the entry of a depth that is or contains e, or nil.
func (e *entry) at(depth int) *entry {
	for e != nil && e.depth > depth {
		e = e.outer
	}
	if e == nil || e.depth < depth {
		return nil
	}
	return e
}

// common returns the innermost entry that is or contains both.
func (e *entry) common(other *entry) *entry {
	for e != other {
		switch {
		case e == nil || other == nil:
			return nil
		case e.depth > other.depth:
			e = e.outer
		case e.depth < other.depth:
			other = other.outer
		default:
			e, other = e.outer, other.outer
		}
	}
	return e
}

// below adds the terms of e to a path of headings.
func (e *entry) below(section string) string {
	var heads []string
	for d := 0; e.at(d) != nil; d++ {
		heads = append(heads, e.at(d).head)
	}
	if section != "" {
		heads = append([]string{section}, heads...)
	}
	return strings.Join(heads, " > ")
}
