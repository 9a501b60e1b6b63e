package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/research"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state/proof"
)

// answers implements page.Memory: the remembered answers as the page shows them.
type answers struct{ *server }

// on calls do with a tenant's remembered answers from a corpus. It does not call do if there are
// none.
func (a answers) on(ctx context.Context, tenant, name string, do func(*open.Remembered) error) error {
	list, err := corpora(a).List(ctx, tenant)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(c page.Corpus) bool { return c.Name == name }) {
		return &runs.NotFoundError{What: "corpus", ID: name}
	}
	return a.of(ctx, tenant, name, do)
}

// of is on without the check whether the tenant may read the corpus.
func (a answers) of(ctx context.Context, tenant, name string, do func(*open.Remembered) error) (err error) {
	defer func() { err = a.fault(fmt.Sprintf("looking at what is remembered of corpus %q", name), err) }()
	t, err := a.tenant(tenant)
	if err != nil {
		return err
	}
	if has, err := a.exchange.Store.Has(open.AnswersFile(a.settings.Home, t.owner(), name)); err != nil || !has {
		return err
	}
	r := &open.Remembered{Name: name}
	if r.Answers, err = a.exchange.Store.Answers(ctx, t.owner(), name, nil); err != nil {
		return err
	}
	if stats, err := r.Answers.Stats(ctx, nil); err != nil || stats.Entries == 0 {
		return cli.Also(err, r.Answers.Close())
	}
	d, err := a.corpus(ctx, t, name)
	if err != nil {
		r.Fault = err
		return cli.Also(do(r), r.Answers.Close())
	}
	r.Corpus = d.Corpus
	if r.Now, err = open.Conditions(d.Settings, d.Corpus.Fingerprint(), open.RankerID(d.Corpus), d.Set); err == nil {
		err = do(r)
	}
	return cli.Also(cli.Also(err, d.release()), r.Answers.Close())
}

// Corpora implements page.Memory.
func (a answers) Corpora(ctx context.Context, tenant string) ([]page.Shelf, error) {
	list, err := corpora(a).List(ctx, tenant)
	if err != nil {
		return nil, err
	}
	var out []page.Shelf
	for _, c := range list {
		err := a.of(ctx, tenant, c.Name, func(r *open.Remembered) error {
			s, err := counted(ctx, r)
			if err == nil {
				out = append(out, s)
			}
			return err
		})
		if err != nil && ctx.Err() == nil { // the other corpora can still be shown
			out = append(out, page.Shelf{Corpus: c.Name, Fault: err.Error()})
		} else if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func counted(ctx context.Context, r *open.Remembered) (page.Shelf, error) {
	stats, err := r.Answers.Stats(ctx, r.Now)
	s := page.Shelf{Corpus: r.Name, Total: stats.Entries, Stale: stats.Stale, Served: stats.Served}
	if r.Fault != nil {
		s.Fault, s.Stale = r.Fault.Error(), stats.Entries
	}
	return s, err
}

// List implements page.Memory.
func (a answers) List(ctx context.Context, tenant, corpus string, limit int) (s page.Shelf, err error) {
	s.Corpus = corpus
	err = a.on(ctx, tenant, corpus, func(r *open.Remembered) error {
		if s, err = counted(ctx, r); err != nil {
			return err
		}
		list, err := r.Answers.List(ctx, limit)
		for _, e := range list {
			s.Entries = append(s.Entries, entry(r, e))
		}
		return err
	})
	return s, err
}

func entry(r *open.Remembered, e qa.Entry) page.Entry {
	return page.Entry{ID: e.ID, Question: e.Question, Confidence: e.Confidence, Stored: e.Stored, Served: e.Served, Stale: r.Stale(e)}
}

// missing turns the error for an unknown answer into a NotFoundError.
func missing(id string, err error) error {
	if errors.As(err, new(*qa.UnknownError)) {
		return &runs.NotFoundError{What: "remembered answer", ID: id}
	}
	return err
}

// Show implements page.Memory.
func (a answers) Show(ctx context.Context, tenant, corpus, id string) (out page.Remembered, err error) {
	unknown := error(&runs.NotFoundError{What: "remembered answer", ID: id})
	err = a.on(ctx, tenant, corpus, func(r *open.Remembered) error {
		e, err := r.Answers.Get(ctx, id)
		if unknown = missing(id, err); unknown != nil {
			return nil
		}
		shown, err := r.Judge(e)
		if err != nil {
			return err
		}
		out = page.Remembered{Entry: entry(r, e), Corpus: corpus, Answer: research.WithoutSources(shown.Answer), LastServed: e.LastServed, WhyNot: shown.WhyNot}
		if len(shown.Passages) > 0 {
			out.Proof = a.proof(shown)
			out.Documents = a.documents(tenant, corpus)
		}
		for _, c := range e.Conditions {
			out.Conditions = append(out.Conditions, page.Condition{Name: c.Name, Then: c.Value, Now: c.Value})
		}
		for _, d := range shown.Changed {
			out.Conditions = changed(out.Conditions, d)
		}
		return nil
	})
	return out, errors.Join(err, unknown)
}

// proof is a remembered answer with its evidence. Its documents have the names of the corpus's
// texts.
func (a answers) proof(shown open.RememberedAnswer) *proof.Proof {
	result := shown.Result
	result.Relevance = nil // it depends on all passages of the run's search, and some are not remembered
	for i := range result.Sources {
		s := &result.Sources[i]
		if s.Doc = shown.Passages[i].Source; a.shared() {
			s.Path, s.Original, s.Stale = "", "", a.told(s.Stale)
		}
	}
	p := research.Proof(result)
	return &p
}

// changed sets the present value of a condition that has changed.
func changed(list []page.Condition, d qa.Difference) []page.Condition {
	for i := range list {
		if list[i].Name == d.Name {
			list[i].Now = d.Now
			return list
		}
	}
	return append(list, page.Condition{Name: d.Name, Then: d.Then, Now: d.Now})
}

// Forget implements page.Memory.
func (a answers) Forget(ctx context.Context, tenant, corpus, id string) error {
	unknown := error(&runs.NotFoundError{What: "remembered answer", ID: id})
	err := a.on(ctx, tenant, corpus, func(r *open.Remembered) error {
		_, err := r.Answers.Forget(ctx, id)
		unknown = missing(id, err)
		return nil
	})
	return errors.Join(err, unknown)
}
