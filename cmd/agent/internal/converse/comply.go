package converse

import (
	"slices"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/nodes/evidence"
	"example.com/assay/serve/conversation"
)

// Comply answers compliance questions, each by itself.
func Comply(d Desk) (graph.App, error) {
	p, err := d.Comply(false)
	if err != nil {
		return graph.App{}, err
	}
	return appOf("comply", conversation.Pipeline[evidence.State]{
		Graph: p.Graph(),
		Check: func(t conversation.Turn) error { return cli.CheckQuestion(t.Text, ask.AskExample) },
		Ask: func(t conversation.Turn) graph.Update[evidence.State] {
			return evidence.Input{Question: t.Text}.Update()
		},
		Reply: func(final evidence.State) conversation.Reply {
			audit := evidence.Result(final, nil, d.Corpus)
			audit.Model, audit.Corpus, audit.Fingerprint = d.ModelLabel(), d.Corpus.Name(), d.Corpus.Fingerprint()
			audit.In(d.Corpus.Name())
			return audited(audit).done(d, audit, nil)
		},
	})
}

// audited is an audit as a message: the answer, and the requirements that it cites.
func audited(a evidence.Audit) *reply {
	r := &reply{}
	r.printf("%s", a.Final)
	if a.Final == "" {
		r.printf("%s", a.Message)
	}
	r.heading("Requirements")
	for _, q := range a.Extracted {
		if !slices.ContainsFunc(a.References, func(ref evidence.Reference) bool { return ref.ID == q.ID && ref.Used }) {
			continue
		}
		r.item("**%s** ", q.ID)
		r.quote(flat(q.Quote), conversation.Citation{Title: q.Title + ", " + q.Heading, Doc: q.Document, Path: pathOf(a, q), CitedText: q.Quote, Start: q.Start, End: q.End})
		r.printf(" %s, %s (%s, bytes %d–%d)", render.Line(q.Title), render.Line(q.Heading), q.Document, q.Start, q.End)
	}
	for _, m := range a.Missing {
		r.paragraph()
		r.printf("Missing: %s", render.Line(m))
	}
	r.ended(a.Answer)
	r.note("grounding " + string(a.Grounding) + " · " + cli.Count(a.Trail.Verified, "verified requirement") + " of " + cli.Count(a.Trail.Extracted, "extracted one") + " · corpus " + a.Corpus + " · model " + a.Model)
	return r
}

func pathOf(a evidence.Audit, q evidence.Requirement) string {
	for _, d := range a.Documents {
		if d.Source == q.Source {
			return d.Path
		}
	}
	return ""
}
