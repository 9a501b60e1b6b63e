package converse

import (
	"testing"

	"example.com/assay/state/message"
)

// A citation of a message is a quote of its document, and its range in characters is the answer's in
// bytes; a range that is not in the text has no place in the answer.
func TestProof(t *testing.T) {
	text := "Größe: “Salz ist weiß.” Gut."
	cite := func(from, to int) message.Citation {
		return message.Citation{Type: "citation", StartIndex: from, EndIndex: to, CitedText: "Salz ist weiß.", Doc: "salz.md", Path: "/salz.md", Start: 3, End: 18}
	}
	p := Proof(message.Message{Type: message.AI, Content: message.Content{Blocks: []message.Block{{Type: "text", Text: text, Annotations: []message.Citation{cite(8, 22), cite(8, 900), cite(-1, 2), cite(22, 8)}}}}})
	if p.Answer != text || len(p.Documents) != 1 || p.Documents[0].Name != "salz.md" || len(p.Findings) != 4 {
		t.Fatalf("%+v", p)
	}
	if f := p.Findings[0]; f.Span == nil || text[f.Span.Start:f.Span.End] != "Salz ist weiß." || f.Quotes[0].Start != 3 || f.Quotes[0].End != 18 {
		t.Errorf("%+v", f)
	}
	for _, f := range p.Findings[1:] {
		if f.Span != nil {
			t.Errorf("%+v: %+v", f, f.Span)
		}
	}
}
