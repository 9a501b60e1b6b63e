package fields

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// Options configure Extract. Nil and the zero value work.
type Options struct {
	// Weights of the trained rankers. Default: the program's weights.
	Weights *Weights
	// Wide also returns values that the usual search would reject, with a low confidence.
	Wide bool
}

// Extract finds the values of fields in a text, in the order of the fields. Boxes are the places of
// the text's pieces on the page, blocks the parts that a reader found; both may be empty.
func Extract(text string, boxes []skills.LaidOut, blocks []skills.TextBlock, specs []skills.FieldSpec, opts *Options) ([]skills.ExtractedField, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Weights == nil {
		w, err := Default()
		if err != nil {
			return nil, err
		}
		o.Weights = &w
	}
	for _, b := range boxes {
		if b.Start < 0 || b.End > len(text) || b.Start > b.End {
			return nil, fmt.Errorf("finding fields: a box is of the bytes %d to %d, and the text has %d", b.Start, b.End, len(text))
		}
	}
	x := &extractor{page: newPage(text, boxes), Options: o, out: []skills.ExtractedField{}}
	if len(x.page.rows) == 0 {
		return x.out, nil
	}
	x.paper = newPaper(text, slices.Concat(blocks, x.columned(blocks)))
	var wants []*want
	var all []option
	for _, s := range specs {
		if strings.Contains(s.Path, "[].") || x.trained(s) {
			continue
		}
		w := newWant(s)
		wants = append(wants, w)
		all = append(all, x.paper.options(w)...)
	}
	chosen := choose(slices.DeleteFunc(all, func(o option) bool { return slices.Contains(x.given, span{o.start, o.end}) }))
	for _, w := range wants {
		if o, ok := chosen[w]; ok {
			x.note(o)
		}
	}
	x.items(specs)
	at := func(path string) int {
		return slices.IndexFunc(specs, func(s skills.FieldSpec) bool {
			return s.Path == path || strings.HasPrefix(path, strings.TrimSuffix(s.Path, "[]")+"[")
		})
	}
	slices.SortStableFunc(x.out, func(a, b skills.ExtractedField) int { return at(listOf(a.Path)) - at(listOf(b.Path)) })
	return x.out, nil
}

// listOf returns a path up to its index, if it has one.
func listOf(path string) string {
	if at := strings.IndexByte(path, '['); at >= 0 {
		return path[:at+1]
	}
	return path
}

// note adds a chosen value, or its elements.
func (x *extractor) note(o option) {
	w := o.want
	if !w.listed {
		x.putAs(w.path, x.paper.oneLine(o), o.start, o.end, o.p)
		return
	}
	if o.list == nil {
		o.list = x.paper.parts(o.start, o.end)
	}
	for i, s := range o.list {
		x.put(w.spec, fmt.Sprintf("%s[%d]", strings.TrimSuffix(w.path, "[]"), i), s.start, s.end, o.p)
	}
}

type extractor struct {
	*page
	paper *paper
	list  string // the list whose elements are being made
	n     int    // number of its elements so far
	given []span // values of rankers; no other field may have them
	Options
	out []skills.ExtractedField
}

// put adds the bytes start..end as the value of a field.
func (x *extractor) put(s skills.FieldSpec, path string, start, end int, p float64) {
	x.given = append(x.given, span{start, end})
	x.putAs(path, strings.Join(strings.Fields(x.text[start:end]), " "), start, end, p)
}

func (x *extractor) putAs(path, value string, start, end int, p float64) {
	line := 0
	if row := x.rowAt(start); row >= 0 {
		line = x.rows[row].n
	}
	x.out = append(x.out, skills.ExtractedField{
		Path: path, Value: value, Quote: x.text[start:end], Row: line, Confidence: math.Round(max(0, min(1, p))*1e4) / 1e4,
	})
}

// proseFrom is the length from which a text without boxes is read as prose instead of a form.
const proseFrom = 3000

func (x *extractor) prose() bool { return !x.laidOut && len(x.text) >= proseFrom }

// trained finds the value of a field that has a trained ranker, or that contracts have. It returns
// false for other fields.
func (x *extractor) trained(s skills.FieldSpec) bool {
	path, listed := s.Path, strings.HasSuffix(s.Path, "[]")
	if listed {
		path = strings.TrimSuffix(path, "[]") + "[0]"
	}
	switch {
	case s.Format == "party" && listed:
		for i, m := range x.parties() {
			x.put(s, fmt.Sprintf("%s[%d]", strings.TrimSuffix(s.Path, "[]"), i), m.start, m.end, 1/(1+math.Exp(1.5-m.score)))
		}
	case s.Format == "party":
		if list := x.parties(); len(list) > 0 {
			x.put(s, path, list[0].start, list[0].end, 1/(1+math.Exp(1.5-list[0].score)))
		}
	case s.Format == "jurisdiction":
		x.mention(s, path)(x.governingLaw())
	case s.Format == "period":
		x.mention(s, path)(x.term())
	case s.Format == "date" && x.prose():
		x.mention(s, path)(x.effectiveDate(slices.Contains(s.Normalise, "month_first")))
	case s.Format == "company":
		x.ranked(s, path, KindCompany)
	case s.Format == "address":
		x.ranked(s, path, KindAddress)
	case isTotal(s) && (x.laidOut || s.Format == "currency"):
		x.ranked(s, path, KindTotal)
	default:
		return false
	}
	return true
}

// mention adds a value found in a contract, in a wide search also a rejected one.
func (x *extractor) mention(s skills.FieldSpec, path string) func(mention, float64, bool) {
	return func(m mention, p float64, ok bool) {
		switch {
		case ok:
			x.put(s, path, m.start, m.end, p)
		case x.Wide && s.Required == "required" && m.end > 0:
			x.put(s, path, m.start, m.end, min(p, .3))
		}
	}
}

func (x *extractor) ranked(s skills.FieldSpec, path, kind string) {
	if found := Rank(x.candidates(kind), x.Weights.Rankers[kind]); len(found) > 0 {
		x.put(s, path, found[0].Start, found[0].End, x.Weights.confidence(kind, found[0].P))
	}
}

var totalName = pattern.New(`(?i)^(?:grand[ _-]?)?total(?:[ _-]?(?:amount|due|price|payable))?$|^amount[ _-](?:due|payable)$|^(?:balance|total)[ _-]due$`)

// isTotal reports whether a field is the amount to be paid, by its name or labels.
func isTotal(s skills.FieldSpec) bool {
	if s.Type != "number" && s.Format != "currency" || strings.HasSuffix(s.Path, "[]") {
		return false
	}
	return slices.ContainsFunc(append([]string{lastName(s.Path)}, s.Anchors...), totalName.MatchString)
}

func lastName(path string) string {
	path = strings.TrimSuffix(path, "[]")
	return path[strings.LastIndexByte(path, '.')+1:]
}

// columned returns rows whose pieces are below those of a row of names, if there are boxes and no
// reader has looked for rows.
func (p *page) columned(blocks []skills.TextBlock) []skills.TextBlock {
	var out []skills.TextBlock
	var head row
	for i, r := range p.rows {
		named := len(r.boxes) > 1 && !strings.ContainsAny(r.text, "0123456789:")
		if named || len(blocks) > 0 {
			head = r
			continue
		}
		b := skills.TextBlock{Kind: "row", Start: r.start, End: r.end}
		for _, x := range r.boxes {
			for _, h := range head.boxes {
				if x.X1 < h.X2 && h.X1 < x.X2 && x.Start >= r.start && x.End <= r.end {
					b.Cells = append(b.Cells, skills.TextCell{Header: p.text[h.Start:h.End], Start: x.Start, End: x.End})
				}
			}
		}
		if len(b.Cells) > 1 && len(b.Cells) == len(r.boxes) {
			out = append(out, b)
		} else if i > 0 {
			head = row{}
		}
	}
	return out
}
