package converse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/serve/conversation"
	"example.com/assay/state"
)

// A Desk is what a conversation's pipeline works with.
type Desk struct {
	*open.Desk
	HidePaths bool // messages and answers say nothing of where files are
}

// A reply is Markdown that knows where its quotes are from.
type reply struct {
	text      strings.Builder
	citations []conversation.Citation
	next      string // a heading before the next item
	noted     int    // the length behind the last note
}

func (r *reply) printf(format string, args ...any) { fmt.Fprintf(&r.text, format, args...) }

// paragraph begins one.
func (r *reply) paragraph() {
	if n := r.text.Len(); n > 0 {
		r.text.WriteString(strings.Repeat("\n", 2-min(2, n-len(strings.TrimRight(r.text.String(), "\n")))))
	}
}

// heading begins a list with one. It is not written before the list has an item.
func (r *reply) heading(words string) { r.next = "\n\n### " + words + "\n" }

// item begins one of a list.
func (r *reply) item(format string, args ...any) {
	r.text.WriteString(r.next + "\n- ")
	r.next = ""
	r.printf(format, args...)
}

// quote writes words that are a quote.
func (r *reply) quote(words string, from conversation.Citation) {
	r.text.WriteString("“")
	at := r.text.Len()
	r.text.WriteString(words + "”")
	r.cite(at, at+len(words), from)
}

// cite says where the bytes of the text between two places are from.
func (r *reply) cite(start, end int, from conversation.Citation) {
	text := r.text.String()
	from.Type, from.StartIndex = "citation", utf8.RuneCountInString(text[:start])
	from.EndIndex = from.StartIndex + utf8.RuneCountInString(text[start:end])
	r.citations = append(r.citations, from)
}

// evidence lists quotes below an item.
func (r *reply) evidence(what string, quotes []state.Quote, sources []state.Source) {
	for _, q := range quotes {
		c := conversation.Citation{Title: q.Source, Doc: q.Source, CitedText: q.Text, Start: q.Start, End: q.End}
		for _, s := range sources {
			if slices.Contains(s.Quotes, state.QuoteSpan{Start: q.Start, End: q.End, Text: q.Text}) {
				c.Title, c.Doc, c.Path = s.Where, s.Doc, s.Path
			}
		}
		r.printf("\n  - %s", what)
		r.quote(flat(q.Text), c)
		r.printf(" (%s, bytes %d–%d)", c.Doc, q.Start, q.End)
	}
}

// note writes a line beside the answer. Notes that follow each other are one paragraph.
func (r *reply) note(line string) {
	if r.noted > 0 && r.noted == r.text.Len() {
		r.printf("  \n") // Markdown's line break
	} else {
		r.paragraph()
	}
	r.printf("*%s*", render.Line(line))
	r.noted = r.text.Len()
}

// ended says why an answer is none or not whole, and what went wrong beside it.
func (r *reply) ended(a state.Answer) {
	said := r.text.String()
	why := a.Words()
	if a.Pipeline == "research" && a.Status == state.StatusNoEvidence && a.Answer != "" {
		why = "" // the answer says it
	}
	for _, words := range append([]string{why}, a.Warnings...) {
		if words != "" && !strings.Contains(said, words) {
			r.paragraph()
			r.printf("%s", render.Visible(words))
		}
	}
}

// done is the message, with the answer as a command prints it, and what the next turn is
// to know.
func (r *reply) done(d Desk, answer, earlier any) conversation.Reply {
	out := conversation.Reply{Text: strings.TrimSpace(r.text.String()), Citations: r.citations, Answer: encoded(answer), Earlier: encoded(earlier)}
	if d.HidePaths {
		for i := range out.Citations {
			out.Citations[i].Path = ""
		}
		out.Answer = withoutPaths(out.Answer)
	}
	return out
}

// withoutPaths is an answer that says nothing of where this machine has its files.
func withoutPaths(answer json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(answer, &v) != nil {
		return nil
	}
	var clear func(any)
	clear = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				clear(e)
			}
		case map[string]any:
			for _, name := range []string{"path", "original"} {
				if _, ok := v[name].(string); ok {
					v[name] = ""
				}
			}
			for _, e := range v {
				clear(e)
			}
		}
	}
	clear(v)
	return encoded(v)
}

// encoded is a value of ours in JSON, which it always has; nil for nil.
func encoded(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		data, _ = json.Marshal(map[string]string{"error": err.Error()}) // a string can be encoded
	}
	return data
}

// flat is a text on one line, as answers quote it.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }
