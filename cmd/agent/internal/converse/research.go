package converse

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/cmd/agent/internal/talk"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/research"
	"example.com/assay/serve/conversation"
	"example.com/assay/state"
)

// Research answers questions. A question may lean on those before it.
func Research(ctx context.Context, d Desk) (graph.App, error) {
	p, err := d.Research(ctx, nil)
	if err != nil {
		return graph.App{}, err
	}
	return appOf("research", conversation.Pipeline[state.Agent]{
		Graph: p.Graph(),
		Check: func(t conversation.Turn) error { return cli.CheckQuestion(t.Text, ask.AskExample) },
		Says: func(t conversation.Turn) (conversation.Reply, bool) {
			words, ok := talk.Reply(t.Text, d.Corpus)
			return conversation.Reply{Text: words}, ok
		},
		Ask: func(t conversation.Turn) graph.Update[state.Agent] {
			return (&research.AskOptions{Earlier: exchanges(t)}).Input(t.Text)
		},
		Reply: func(final state.Agent) conversation.Reply {
			answer := research.Result(final, nil, d.Corpus)
			answer.Model, answer.Corpus = d.ModelLabel(), d.Corpus.Name()
			var earlier any
			if e, ok := research.ExchangeOf(answer); ok {
				earlier = e
			}
			r := researched(answer)
			if d.IsSample() {
				r.note(open.SampleNote)
			}
			return r.done(d, answer, earlier)
		},
	})
}

func appOf[S any](name string, p conversation.Pipeline[S]) (graph.App, error) {
	g, err := conversation.Graph(name, p)
	if err != nil {
		return graph.App{}, err
	}
	return g.App(), nil
}

// mostBefore is how much of an answer that this server did not give is taken along.
const mostBefore = 300

// exchanges are the turns before a question. Of a conversation that the caller brings, an
// exchange is what was asked and what was answered.
func exchanges(t conversation.Turn) []state.Exchange {
	var out []state.Exchange
	for _, data := range t.Earlier {
		var e state.Exchange
		if json.Unmarshal(data, &e) == nil { // it is one of ours
			out = append(out, e)
		}
	}
	for _, m := range t.Before {
		switch m.Type {
		case "human":
			out = append(out, state.Exchange{Question: strings.TrimSpace(m.Content.String())})
		case "ai":
			if n := len(out); n > 0 {
				out[n-1].Answer = llm.Cut(flat(m.Content.String()), mostBefore)
			}
		}
	}
	return slices.DeleteFunc(out, func(e state.Exchange) bool { return e.Question == "" })
}

// researched is an answer as a message.
func researched(answer state.Answer) *reply {
	r := &reply{}
	if answer.Resolved != "" {
		r.note("searched for: " + answer.Resolved)
	}
	if words := render.SearchedFor(answer.Respelt); words != "" {
		r.note(strings.TrimSpace(words))
	}
	r.paragraph()
	from := r.text.Len()
	r.printf("%s", strings.Replace(answer.Answer, "\n## Sources\n", "\n### Sources\n", 1)) // pages show headings of level 2 too large
	r.quotesOf(answer, from)
	for _, line := range render.Measured(answer, false) {
		r.note(line)
	}
	r.ended(answer)
	return r
}

// quotesOf cites the quotes of an answer whose text begins at a place.
func (r *reply) quotesOf(answer state.Answer, from int) {
	text := r.text.String()
	for _, q := range answer.Quotes {
		words := flat(q.Text)
		at := strings.Index(text[from:], words)
		source := slices.IndexFunc(answer.Sources, func(s state.Source) bool { return s.N == q.Source })
		if at < 0 || source < 0 {
			continue
		}
		s := answer.Sources[source]
		for _, span := range s.Quotes {
			if span.Text == q.Text {
				r.cite(from+at, from+at+len(words), conversation.Citation{
					Title: s.Where, Doc: s.Doc, Path: s.Path, CitedText: span.Text, Start: span.Start, End: span.End,
				})
				break
			}
		}
		from += at + len(words)
	}
}
