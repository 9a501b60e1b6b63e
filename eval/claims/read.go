package claims

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/task"
	"example.com/assay/memory/document"
	"example.com/assay/state"
)

// The formats that Read knows.
const (
	FormatWice       = "wice"
	FormatFaithBench = "faithbench"
	FormatSciFact    = "scifact"
)

// formats lists them, sorted.
func formats() []string { return []string{FormatFaithBench, FormatSciFact, FormatWice} }

// Files name a collection. Each may be compressed with gzip, whatever its name.
type Files struct {
	Format string // one of the formats that Read knows
	Data   string // JSON Lines
	Corpus string // the abstracts, for scifact and for no other
}

// Read reads a collection, line by line. The error for a fault in a file wraps a
// *document.InputError with the file, the line and the field. Other errors are files that
// cannot be opened, cancellation, and files that do not fit the format.
func Read(ctx context.Context, f Files, progress task.Progress) (*Dataset, error) {
	r := &reader{files: f, progress: progress.Of(task.Reading), set: &Dataset{Format: f.Format}, lines: map[string]int{}}
	var err error
	switch {
	case f.Format == FormatSciFact && f.Corpus == "":
		err = fmt.Errorf("the format %s keeps its abstracts in a file of their own; name it", f.Format)
	case f.Format != FormatSciFact && f.Corpus != "":
		err = fmt.Errorf("the format %s has its evidence in the file of the claims; leave %q out", f.Format, f.Corpus)
	case f.Format == FormatWice:
		err = r.wice(ctx)
	case f.Format == FormatSciFact:
		err = r.scifact(ctx)
	case f.Format == FormatFaithBench:
		err = r.faithbench(ctx)
	default:
		err = fmt.Errorf("there is no format %q; known: %s", f.Format, strings.Join(formats(), ", "))
	}
	if err == nil && len(r.set.Items) == 0 {
		err = &document.InputError{Path: f.Data, Msg: "it has no claim", Hint: "write one JSON object per line, as the format " + f.Format + " has them"}
	}
	if err != nil {
		return nil, fmt.Errorf("reading claims: %w", err)
	}
	r.set.Hash = r.digest.Sum()
	return r.set, nil
}

// A reader puts a dataset together.
type reader struct {
	files    Files
	progress func(done, total int)
	set      *Dataset
	lines    map[string]int // where an id was seen first
	digest   jsonl.Digest
}

// add adds an item.
func (r *reader) add(at jsonl.Place, item Item) error {
	if err := at.Unique(r.lines, item.ID); err != nil {
		return err
	}
	r.set.Items = append(r.set.Items, item)
	return nil
}

// passage makes evidence from a text.
func passage(id, title, text string) state.Evidence {
	return state.Evidence{Label: "Source 1", Passage: state.Passage{ID: id, Doc: id, Title: title, Text: text, End: len(text), Source: id}}
}

// wice reads WiCE (Kamoi et al., "WiCE: real-world entailment for claims in
// Wikipedia", EMNLP 2023): claims of Wikipedia against sentences of a page
// that they cite. The evidence is one passage, a paragraph per sentence.
func (r *reader) wice(ctx context.Context) error {
	type record struct {
		ID       jsonl.Ident `json:"id"`
		Claim    string      `json:"claim"`
		Label    string      `json:"label"`
		Evidence []string    `json:"evidence"`
		Title    string      `json:"claim_title"`
	}
	r.set.Labels = []Label{Supported, PartiallySupported, Unsupported}
	labels := map[string]Label{"supported": Supported, "partially_supported": PartiallySupported, "not_supported": Unsupported}
	return jsonl.Each(ctx, r.files.Data, "id", r.progress, func(at jsonl.Place, c record) error {
		gold, err := r.label(at, "label", c.Label, labels)
		if err != nil {
			return err
		}
		if err := wants(at, field{"claim", strings.TrimSpace(c.Claim) != ""}, field{"evidence", len(c.Evidence) > 0}); err != nil {
			return err
		}
		id := string(c.ID)
		r.digest.Add(id, c.Claim, c.Label, strings.Join(c.Evidence, "\n"))
		group := c.Title
		if group == "" {
			group = id
		}
		return r.add(at, Item{ID: id, Group: group, Text: c.Claim, Gold: gold, Evidence: []state.Evidence{passage(id, "", strings.Join(c.Evidence, "\n\n"))}})
	})
}

// faithbench reads FaithBench (Bao et al., "FaithBench", NAACL 2025): summaries
// against their sources. A summary is supported when no annotator found an
// unwanted or questionable hallucination in it.
func (r *reader) faithbench(ctx context.Context) error {
	type record struct {
		ID           jsonl.Ident `json:"id"`
		Source       string      `json:"source"`
		Response     string      `json:"response"`
		Hallucinated *int        `json:"hallucinated"`
	}
	r.set.Responses = true
	r.set.Labels = []Label{Supported, Unsupported}
	return jsonl.Each(ctx, r.files.Data, "id", r.progress, func(at jsonl.Place, s record) error {
		if err := wants(at, field{"source", strings.TrimSpace(s.Source) != ""}, field{"response", strings.TrimSpace(s.Response) != ""}, field{"hallucinated", s.Hallucinated != nil}); err != nil {
			return err
		}
		id, gold := string(s.ID), Supported
		switch *s.Hallucinated {
		case 0:
		case 1:
			gold = Unsupported
		default:
			return at.Fault("hallucinated", fmt.Sprintf("it is %d", *s.Hallucinated), "want 0 or 1")
		}
		r.digest.Add(id, s.Response, string(gold), s.Source)
		return r.add(at, Item{ID: id, Group: s.Source, Text: s.Response, Gold: gold, Evidence: []state.Evidence{passage(id, "", s.Source)}})
	})
}

// scifact reads SciFact (Wadden et al., "Fact or fiction: verifying scientific claims", EMNLP
// 2020): claims against the abstracts by which people judged them, or, without any, those that the
// claim cites.
func (r *reader) scifact(ctx context.Context) error {
	type abstract struct {
		ID        jsonl.Ident `json:"id"`
		Title     string      `json:"title"`
		Text      string      `json:"text"`
		Sentences []string    `json:"sentences"`
	}
	abstracts := map[string]abstract{}
	seen := map[string]int{}
	err := jsonl.Each(ctx, r.files.Corpus, "id", r.progress, func(at jsonl.Place, a abstract) error {
		if a.Text == "" {
			a.Text = strings.Join(a.Sentences, " ")
		}
		abstracts[string(a.ID)] = a
		if err := at.Unique(seen, string(a.ID)); err != nil {
			return err
		}
		return at.Want("text", strings.TrimSpace(a.Text) != "")
	})
	if err != nil {
		return err
	}
	type record struct {
		ID       jsonl.Ident    `json:"id"`
		Claim    string         `json:"claim"`
		Label    string         `json:"label"`
		Qrels    map[string]int `json:"qrels"`
		Evidence []struct {
			Doc jsonl.Ident `json:"doc_id"`
		} `json:"evidence"`
	}
	r.set.Labels = []Label{Supported, Unsupported, Contradicted}
	labels := map[string]Label{"SUPPORT": Supported, "CONTRADICT": Contradicted, "NOT_ENOUGH_INFO": Unsupported}
	groups := &joined{of: map[string]string{}}
	err = jsonl.Each(ctx, r.files.Data, "id", r.progress, func(at jsonl.Place, c record) error {
		gold, err := r.label(at, "label", c.Label, labels)
		if err != nil {
			return err
		}
		cited := slices.Sorted(maps.Keys(c.Qrels))
		if err := wants(at, field{"claim", strings.TrimSpace(c.Claim) != ""}, field{"qrels", len(cited) > 0}); err != nil {
			return err
		}
		var docs []string
		for _, e := range c.Evidence {
			if !slices.Contains(docs, string(e.Doc)) {
				docs = append(docs, string(e.Doc))
			}
		}
		if len(docs) == 0 {
			docs = cited
		}
		item := Item{ID: string(c.ID), Group: cited[0], Text: c.Claim, Gold: gold}
		for i, doc := range docs {
			a, ok := abstracts[doc]
			if !ok {
				return at.Fault("evidence", fmt.Sprintf("the corpus has no document %q", doc), "do claims and corpus belong together?")
			}
			e := passage(doc, a.Title, a.Text)
			e.Label = fmt.Sprintf("Source %d", i+1)
			item.Evidence = append(item.Evidence, e)
			r.digest.Add(a.Title, a.Text)
		}
		for _, doc := range append(cited, docs...) {
			groups.join(cited[0], doc)
		}
		r.digest.Add(item.ID, c.Claim, c.Label)
		return r.add(at, item)
	})
	for i := range r.set.Items {
		r.set.Items[i].Group = groups.root(r.set.Items[i].Group)
	}
	return err
}

// label translates a label, or names those that are known.
func (r *reader) label(at jsonl.Place, name, value string, known map[string]Label) (Label, error) {
	gold, ok := known[value]
	if !ok {
		return "", at.Fault(name, fmt.Sprintf("it is %q", value), "want one of "+strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	return gold, nil
}

type field struct {
	name string
	ok   bool
}

func wants(at jsonl.Place, fields ...field) error {
	for _, f := range fields {
		if err := at.Want(f.name, f.ok); err != nil {
			return err
		}
	}
	return nil
}

// joined are sets of names; a set's root is its smallest name.
type joined struct{ of map[string]string }

func (j *joined) root(name string) string {
	for {
		up, ok := j.of[name]
		if !ok || up == name {
			return name
		}
		name = up
	}
}

func (j *joined) join(a, b string) {
	a, b = j.root(a), j.root(b)
	if a != b {
		j.of[max(a, b)] = min(a, b)
	}
}
