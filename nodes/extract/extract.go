package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A reading asks a skill about every window of a document.
type reading struct {
	schema        *Schema
	size, overlap int
}

// A part asks about one window.
type part func(ctx context.Context, w window, text string, boxes []skills.LaidOut) (skills.ExtractOutput, state.ModelUsage, error)

// read asks about each window and merges the results. The usage also counts with an error.
func (r *reading) read(ctx context.Context, doc FieldDocument, ask part) (found []FieldValue, conflicts []Issue, warnings []string, usage state.ModelUsage, err error) {
	g := newGround(doc)
	var parts [][]FieldValue
	for _, w := range windows(doc, r.size, r.overlap) {
		out, used, err := ask(ctx, w, doc.Text[w.start:w.end], w.boxes(doc))
		usage = usage.Plus(used)
		if err != nil {
			return nil, nil, warnings, usage, err
		}
		values, warned := r.schema.values(g, w, out)
		parts, warnings = append(parts, values), append(warnings, warned...)
	}
	found, conflicts, crowded := r.schema.merge(parts)
	return found, conflicts, append(warnings, crowded...), usage, nil
}

// values turns a model's answer into values. It leaves out, with a warning, unknown paths, blank
// values and second values of a field.
func (s *Schema) values(g *ground, w window, out skills.ExtractOutput) (list []FieldValue, warnings []string) {
	seen := map[string]bool{}
	crowded := false
	for _, found := range out.Fields {
		f, _, ok := s.field(found.Path)
		switch {
		case !ok && index(found.Path) >= mostItems:
			if !crowded {
				warnings, crowded = append(warnings, crowdedList(found.Path)), true
			}
			continue
		case !ok || f.Path == found.Path && f.Listed():
			warnings = append(warnings, fmt.Sprintf("the model named %q, which is no field of the schema", llm.Cut(found.Path, 100)))
			continue
		case strings.TrimSpace(found.Value) == "":
			continue
		case seen[found.Path]:
			warnings = append(warnings, fmt.Sprintf("the model gave %s twice; the first value counts", found.Path))
			continue
		}
		seen[found.Path] = true
		if found.Row > 0 {
			found.Row += w.row
		}
		list = append(list, g.value(f, found.Path, found))
	}
	return list, warnings
}

// crowdedList warns that a list is cut off.
func crowdedList(path string) string {
	list, _, _ := strings.Cut(path, "[")
	return fmt.Sprintf("%s has more than %d elements; the rest is left out", llm.Cut(list, 100), mostItems)
}

// errEmpty reports a document without text.
var errEmpty = errors.New("the document has no text; name one that has")

// firstReading reads the fields for the first time.
func firstReading(m llm.Model, skill skills.Skill, r *reading) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		if strings.TrimSpace(s.Document.Text) == "" {
			return nil, errEmpty
		}
		specs := r.schema.specs()
		found, conflicts, warnings, usage, err := r.read(ctx, s.Document, func(ctx context.Context, w window, text string, boxes []skills.LaidOut) (skills.ExtractOutput, state.ModelUsage, error) {
			return llm.Ask[skills.ExtractOutput](ctx, m, skill, skills.ExtractInput{Fields: specs, Text: text, Boxes: boxes, Blocks: w.blocks(s.Document)})
		})
		if err != nil {
			return nil, err
		}
		return graph.Update[State]{
			valuesChannel.Set(found), conflictsChannel.Set(conflicts), warningsChannel.Add(warnings...), usageChannel.Add(usage),
		}, nil
	}
}

// specs returns the fields in the form for skills.
func (s *Schema) specs() []skills.FieldSpec {
	out := make([]skills.FieldSpec, len(s.Fields))
	for i, f := range s.Fields {
		required := "optional"
		if f.Required {
			required = "required"
		}
		out[i] = skills.FieldSpec{
			Path: f.Path, Type: f.Type, Format: f.Format, Required: required, Description: f.Description, Pattern: f.Pattern,
			Anchors: append([]string{}, f.Anchors...), Enum: append([]string{}, f.Enum...), Normalise: append([]string{}, f.Normalise...), Minimum: f.Minimum, Maximum: f.Maximum,
		}
	}
	return out
}
