package extract

import (
	"fmt"
	"strings"

	"example.com/assay/skills"
)

// A window is a part of a document that one call reads.
type window struct {
	start, end int // bytes of the document
	row        int // number of lines before it
}

// windows cuts a document into parts of at most size bytes. A document with pages is cut at page
// starts, and each part begins with the last page of the previous one. Other documents are cut at
// line ends, with overlap bytes in common.
func windows(doc FieldDocument, size, overlap int) []window {
	text := doc.Text
	var out []window
	for start := 0; ; {
		w := window{start: start, end: len(text), row: strings.Count(text[:start], "\n")}
		if len(text)-start <= size {
			return append(out, w)
		}
		w.end = start + size
		next := 0
		if last, before, ok := pagesUpTo(doc.Pages, start, w.end); ok {
			w.end, next = last, before
		} else {
			if cut := strings.LastIndexByte(text[start:w.end], '\n'); cut > size/2 {
				w.end = start + cut + 1
			}
			next = w.end - overlap
			if cut := strings.IndexByte(text[next:w.end], '\n'); cut >= 0 {
				next += cut + 1
			}
		}
		for ; w.end < len(text) && !startsRune(text[w.end]); w.end-- {
		}
		for ; next < len(text) && !startsRune(text[next]); next++ {
		}
		out = append(out, w)
		start = max(next, start+1)
	}
}

func startsRune(b byte) bool { return b&0xC0 != 0x80 }

// pagesUpTo returns the last page start in (start, end], and the start of the next part: the page
// before that one, if it is after start.
func pagesUpTo(pages []PageStart, start, end int) (last, next int, ok bool) {
	for i, p := range pages {
		if p.Start <= start || p.Start > end {
			continue
		}
		last, next, ok = p.Start, p.Start, true
		if i > 0 && pages[i-1].Start > start {
			next = pages[i-1].Start
		}
	}
	return last, next, ok
}

// boxes returns the document's boxes in a window, with offsets in the window.
func (w window) boxes(doc FieldDocument) []skills.LaidOut {
	out := []skills.LaidOut{}
	for _, b := range doc.Boxes {
		if b.Start >= w.start && b.End <= w.end {
			out = append(out, skills.LaidOut{Row: b.Row - w.row, Start: b.Start - w.start, End: b.End - w.start, X1: b.Box.X1, Y1: b.Box.Y1, X2: b.Box.X2, Y2: b.Box.Y2})
		}
	}
	return out
}

// blocks returns the document's blocks in a window, with offsets in the window.
func (w window) blocks(doc FieldDocument) []skills.TextBlock {
	out := []skills.TextBlock{}
	for _, b := range doc.Blocks {
		if b.Start < w.start || b.End > w.end {
			continue
		}
		t := skills.TextBlock{Kind: string(b.Kind), Start: b.Start - w.start, End: b.End - w.start, Label: b.Label, Under: b.Under}
		for _, c := range b.Cells {
			t.Cells = append(t.Cells, skills.TextCell{Header: c.Header, Start: c.Start - w.start, End: c.End - w.start})
		}
		out = append(out, t)
	}
	return out
}

// sure is the confidence from which a value that another window contradicts is reported instead of
// dropped.
const sure = 0.5

// merge combines the values of windows. For each field it takes the most confident value, the
// earliest of equals. List elements follow one another in window order, without repetitions. It
// reports contradicting values, and warns of a list that is cut off.
func (s *Schema) merge(parts [][]FieldValue) (out []FieldValue, conflicts []Issue, warnings []string) {
	conflicts = []Issue{}
	if len(parts) == 1 {
		out = parts[0]
		s.sortValues(out)
		return out, conflicts, nil
	}
	at := map[string]int{}
	type list struct {
		seen map[string]bool
		n    int
		full bool
	}
	lists := map[string]*list{}
	for _, part := range parts {
		var order []string
		elements := map[string][]FieldValue{}
		for _, v := range part {
			if i := strings.IndexByte(v.Field, ']'); i >= 0 {
				key := v.Field[:i+1]
				if elements[key] == nil {
					order = append(order, key)
				}
				elements[key] = append(elements[key], v)
				continue
			}
			i, ok := at[v.Field]
			if !ok {
				at[v.Field] = len(out)
				out = append(out, v)
				continue
			}
			if out[i].Value != v.Value && v.Confidence >= sure && out[i].Confidence >= sure {
				conflicts = append(conflicts, Issue{Kind: IssueConflict, Severity: SeverityMedium, Field: v.Field,
					Message: fmt.Sprintf("the document says “%s” and “%s”", out[i].Value, v.Value), Suggestion: "decide which of the two places counts"})
			}
			if v.Confidence > out[i].Confidence {
				out[i] = v
			}
		}
		for _, key := range order {
			name, _, _ := strings.Cut(key, "[")
			l := lists[name]
			if l == nil {
				l = &list{seen: map[string]bool{}}
				lists[name] = l
			}
			var id strings.Builder
			for _, v := range elements[key] {
				where := -1
				if v.Place != nil && strings.Contains(v.Field[len(key):], ".") { // equal line items may repeat; they are the same only at the same place
					where = v.Place.Start
				}
				fmt.Fprintf(&id, "%s=%s@%d\x00", v.Field[len(key):], v.Value, where)
			}
			if l.seen[id.String()] {
				continue
			}
			l.seen[id.String()] = true
			if l.n == mostItems {
				if !l.full {
					warnings, l.full = append(warnings, crowdedList(name)), true
				}
				continue
			}
			for _, v := range elements[key] {
				v.Field = fmt.Sprintf("%s[%d]%s", name, l.n, v.Field[len(key):])
				out = append(out, v)
			}
			l.n++
		}
	}
	s.sortValues(out)
	return out, conflicts, warnings
}

// changed returns the fields whose values differ from before, in the order of now, and then the
// fields that are gone.
func changed(before, now []FieldValue) []string {
	out := []string{}
	old, kept := map[string]string{}, map[string]bool{}
	for _, v := range before {
		old[v.Field] = v.Value
	}
	for _, v := range now {
		kept[v.Field] = true
		if value, ok := old[v.Field]; !ok || value != v.Value {
			out = append(out, v.Field)
		}
	}
	for _, v := range before {
		if !kept[v.Field] {
			out = append(out, v.Field)
		}
	}
	return out
}
