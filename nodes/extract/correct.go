package extract

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/skills"
)

// Correct returns an answer with the values that a person gives for fields, by their paths, in the
// place of those that were read; an empty one says that the document has none. A given value is
// written as others of its field are, and has a place if the document has it. It is part of the
// result in either case. The rules check all values anew. A path that is not of the schema is left out.
func (s *Schema) Correct(doc FieldDocument, a Answer, given map[string]string) Answer {
	if len(given) == 0 {
		return a
	}
	a.Fields = slices.DeleteFunc(slices.Clone(a.Fields), func(v FieldValue) bool { _, has := given[v.Field]; return has })
	result := InDocument(a.Fields)
	g := newGround(doc)
	for _, path := range slices.Sorted(maps.Keys(given)) {
		value := given[path]
		if f, _, ok := s.field(path); ok && strings.TrimSpace(value) != "" {
			v := g.value(f, path, skills.ExtractedField{Path: path, Value: value, Confidence: 1})
			g.wholeWords(&v, value)
			a.Fields, result = append(a.Fields, v), append(result, v)
		}
	}
	slices.SortFunc(a.Fields, func(a, b FieldValue) int { return strings.Compare(a.Field, b.Field) })
	s.sortValues(a.Fields)
	var others []Issue // the rules do not find them
	for _, i := range a.Report.Issues {
		if _, corrected := given[i.Field]; !corrected && (i.Kind == IssueConflict || i.Kind == IssueOpinion) {
			others = append(others, i)
		}
	}
	a.Report = s.Verify(a.Fields, others, Thresholds{})
	a.Result, a.Confidence = s.write(result), a.Report.Confidence
	return a
}

// wholeWords moves the place of a value that begins or ends inside a word to one that does not.
func (g *ground) wholeWords(v *FieldValue, value string) {
	for p := v.Place; p != nil && insideWord(g.doc.Text, p.Start, p.End); p = v.Place {
		v.Place = nil
		if start, end, ok := findText(g.doc.Text[p.End:], value); ok {
			v.Place = g.place(p.End+start, p.End+end)
		}
	}
}

// insideWord reports whether letters or digits go on at an end of the bytes start to end.
func insideWord(s string, start, end int) bool {
	joined := func(at int) bool {
		a, _ := utf8.DecodeLastRuneInString(s[:at])
		b, _ := utf8.DecodeRuneInString(s[at:])
		return inWord(a) && inWord(b)
	}
	return joined(start) || joined(end)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
