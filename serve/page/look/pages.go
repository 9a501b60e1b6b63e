package look

import "fmt"

// A Pager links to the other pages of a list.
type Pager struct {
	What         string // "runs"
	Says         string // what this page has: "51 to 100 of 120 runs"
	Before, Next string // addresses; empty for none
	Pages        []Link // near this one, the first and the last
	Again        bool   // it is the second pager of the list, at its end
}

// AtEnd returns the same pager for the end of its list.
func (p Pager) AtEnd() Pager {
	p.Again = true
	return p
}

// nearPages bounds how far from this page others are linked to.
const nearPages = 3

// Pages returns the pager of a list of a number of entries, for a page that has per of them and begins
// at one. At returns the address of the page that begins at an entry.
func Pages(what string, from, per, of int, at func(from int) string) Pager {
	p := Pager{What: what, Says: fmt.Sprintf("%d to %d of %d %s", min(from+1, of), min(from+per, of), of, what)}
	if from > 0 {
		p.Before = at(max(0, from-per))
	}
	if from+per < of {
		p.Next = at(from + per)
	}
	for first := 0; first < of && of > per; first += per {
		if first == 0 || first+per >= of || max(first-from, from-first) <= nearPages*per {
			p.Pages = append(p.Pages, Link{Text: fmt.Sprintf("%d–%d", first+1, min(first+per, of)), Href: at(first), Here: first == from})
		}
	}
	return p
}
