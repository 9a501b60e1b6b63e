package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// Treatment says how unsupported claims appear in the final response. The zero value is
// MarkUnsupported.
type Treatment string

const (
	MarkUnsupported   Treatment = "mark"   // a mark follows them
	StrikeUnsupported Treatment = "strike" // they are left out, with their citations
	KeepUnsupported   Treatment = "keep"   // they stay as they are; only the verdicts show it
)

func (t Treatment) check() error {
	switch t {
	case "", MarkUnsupported, StrikeUnsupported, KeepUnsupported:
		return nil
	}
	return fmt.Errorf("treatment of unsupported claims is %q: it must be %s, %s or %s", t, MarkUnsupported, StrikeUnsupported, KeepUnsupported)
}

// Texts of the marks.
const (
	markUnsupported = "[unsupported]"
	markPartial     = "[partially supported]"
	markUnjudged    = "[not verified]"
)

// NothingLeft is the final response if all of it was left out.
const NothingLeft = "No statement of the response is supported by the evidence."

// finish treats the unsupported claims of the given response. It picks the correction with the
// highest confidence, if that is above the response's. It reports quoted passages with prompt
// injection.
func finish(t Treatment, inspect retrieval.Inspect) graph.Node[State] {
	return func(_ context.Context, s State) (graph.Update[State], error) {
		given, _ := s.Given()
		update := graph.Update[State]{finalChannel.Set(Treat(given.Response, given.Verdicts, t))}
		if best, _ := s.Best(); best.N > 0 {
			update = append(update, correctedChannel.Set(Treat(best.Response, best.Verdicts, t)))
		}
		for _, e := range s.Evidence {
			if isQuoted(given.Verdicts, e.Passage.ID) {
				update = append(update, warningsChannel.Add(inspect.Warnings([]state.Hit{{Passage: e.Passage}})...))
			}
		}
		return update, nil
	}
}

func isQuoted(verdicts []state.Verdict, passage string) bool {
	return slices.ContainsFunc(verdicts, func(v state.Verdict) bool {
		return slices.ContainsFunc(slices.Concat(v.For, v.Against), func(q state.Quote) bool { return q.Passage == passage })
	})
}

// Treat marks or removes the unsupported claims of a response. Verdicts are in the order of their
// claims; a claim that does not follow the previous one in the response is ignored.
func Treat(response string, verdicts []state.Verdict, t Treatment) string {
	if t == KeepUnsupported {
		return response
	}
	var b strings.Builder
	last, struck := 0, false
	for _, v := range verdicts {
		if v.Status == state.Supported || v.Start < last || v.End > len(response) {
			continue
		}
		end := v.End + len(tail.FindString(response[v.End:]))
		switch {
		case v.Error != "":
			b.WriteString(response[last:end] + " " + markUnjudged)
		case v.Status == state.PartiallySupported:
			b.WriteString(response[last:end] + " " + markPartial)
		case t == StrikeUnsupported:
			b.WriteString(strings.TrimRight(response[last:v.Start], "“\"'*_"))
			struck = true
		default:
			b.WriteString(response[last:end] + " " + markUnsupported)
		}
		last = end
	}
	b.WriteString(response[last:])
	if !struck {
		return b.String()
	}
	return tidy(b.String())
}

// tail matches what belongs to a claim after its words: the end of a quotation or of emphasis,
// punctuation, citations.
var tail = pattern.New(`^[.!?,;:”"')*_]*(?:[ \t]*\[[^\[\]\n]{1,60}\])*[.!?]?`)

var (
	emptyItem = pattern.New(`(?m)^[ \t]*(?:[-*•>]|\d{1,3}[.)])?[ \t]*$\n?`)
	spaces    = pattern.New(`[ \t]{2,}`)
	lines     = pattern.New(`\n{3,}`)
)

// tidy removes the remains of removed claims: items without text, double spaces, empty lines.
func tidy(s string) string {
	s = emptyItem.ReplaceAllString(s, "\n")
	s = strings.TrimSpace(lines.ReplaceAllString(spaces.ReplaceAllString(s, " "), "\n\n"))
	if s == "" {
		return NothingLeft
	}
	return s
}
