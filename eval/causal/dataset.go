package causal

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/task"
	"example.com/assay/memory/document"
	"example.com/assay/state"
)

// The formats that Read knows.
const (
	FormatPubMed = "pubmed"
	FormatCNC    = "cnc"
	FormatPairs  = "pairs"
)

// formats lists them, sorted.
func formats() []string { return []string{FormatCNC, FormatPairs, FormatPubMed} }

// A Label is the judgement of a person or a judge: in the format pubmed a state.SupportType, in the
// others True or False.
type Label string

const (
	Direct      = Label(state.DirectCausal)
	Correlation = Label(state.CorrelationOnly)
	None        = Label(state.Irrelevant)
	True        = Label("true")
	False       = Label("false")
)

// An Item is a sentence, or a pair of phrases in one.
type Item struct {
	ID            string
	Group         string // items of one group stay together in cross-validation
	Text          string
	Cause, Effect string     // in the format pairs alone
	Relations     []Relation // in the format cnc alone, of causal items
	Gold          Label
	Causal        bool // people judged the relation causal; for a swapped pair, before the swap
}

// A Relation is a cause and its effect as people marked them in a sentence, word
// for word, with the words that signal the relation.
type Relation struct {
	Cause   string   `json:"cause"`
	Effect  string   `json:"effect"`
	Signals []string `json:"signal"` // none if no word signals it
}

// A Dataset is a judged collection. It does not change after reading.
type Dataset struct {
	Format  string
	Labels  []Label
	Items   []Item // in the order of the file; ids distinct
	Swapped bool
	Hash    string // SHA-256 over the items' ids, texts, phrases, labels and relations, in hexadecimal
}

// Swap returns a dataset of pairs with cause and effect exchanged, which makes
// every pair false.
func (d *Dataset) Swap() *Dataset {
	out := *d
	out.Swapped, out.Items = !d.Swapped, make([]Item, len(d.Items))
	for i, item := range d.Items {
		item.Cause, item.Effect, item.Gold = item.Effect, item.Cause, False
		if !out.Swapped && item.Causal {
			item.Gold = True
		}
		out.Items[i] = item
	}
	return &out
}

// Files name a collection, which may be compressed with gzip.
type Files struct {
	Format string // one of the formats that Read knows
	Data   string // JSON Lines
}

// Read reads a collection, line by line. The error for a fault in a file wraps a
// *document.InputError with the file, the line and the field. Other errors are files that
// cannot be opened, and cancellation.
func Read(ctx context.Context, f Files, progress task.Progress) (*Dataset, error) {
	r := &reader{files: f, progress: progress.Of(task.Reading), set: &Dataset{Format: f.Format}, lines: map[string]int{}}
	var err error
	switch f.Format {
	case FormatPubMed:
		err = r.pubmed(ctx)
	case FormatCNC:
		err = r.cnc(ctx)
	case FormatPairs:
		err = r.pairs(ctx)
	default:
		err = fmt.Errorf("there is no format %q; known: %s", f.Format, strings.Join(formats(), ", "))
	}
	if err == nil && len(r.set.Items) == 0 {
		err = &document.InputError{Path: f.Data, Msg: "it has no item", Hint: "write one JSON object per line, as the format " + f.Format + " has them"}
	}
	if err != nil {
		return nil, fmt.Errorf("reading causal language: %w", err)
	}
	r.set.Hash = r.digest.Sum()
	return r.set, nil
}

type reader struct {
	files    Files
	progress func(done, total int)
	set      *Dataset
	lines    map[string]int // where an id was seen first
	digest   jsonl.Digest
}

func (r *reader) add(at jsonl.Place, item Item) error {
	if err := at.Unique(r.lines, item.ID); err != nil {
		return err
	}
	r.digest.Add(item.ID, item.Text, item.Cause, item.Effect, string(item.Gold))
	for _, relation := range item.Relations {
		r.digest.Add(append([]string{relation.Cause, relation.Effect}, relation.Signals...)...)
	}
	r.set.Items = append(r.set.Items, item)
	return nil
}

// pubmed reads conclusions of abstracts (Yu, Li and Wang, "Detecting causal
// language use in science findings", EMNLP 2019). Of its four labels the
// conditional one is direct.
func (r *reader) pubmed(ctx context.Context) error {
	r.set.Labels = []Label{Direct, Correlation, None}
	type record struct {
		ID       jsonl.Ident `json:"id"`
		Sentence string      `json:"sentence"`
		Label    string      `json:"label"`
	}
	labels := map[string]Label{"no_relationship": None, "direct_causal": Direct, "conditional_causal": Direct, "correlational": Correlation}
	return jsonl.Each(ctx, r.files.Data, "id", r.progress, func(at jsonl.Place, v record) error {
		gold, known := labels[v.Label]
		switch {
		case v.Sentence == "":
			return at.Want("sentence", false)
		case !known:
			return at.Fault("label", fmt.Sprintf("it is %q", v.Label), "want no_relationship, direct_causal, conditional_causal or correlational")
		}
		return r.add(at, Item{ID: string(v.ID), Group: string(v.ID), Text: v.Sentence, Gold: gold, Causal: gold == Direct})
	})
}

// cnc reads sentences of news (Tan et al., "The Causal News Corpus", LREC 2022).
// Sentences of one document are a group: their ids begin with the same three
// fields.
func (r *reader) cnc(ctx context.Context) error {
	r.set.Labels = []Label{True, False}
	type record struct {
		ID     jsonl.Ident `json:"id"`
		Text   string      `json:"text"`
		Causal *int        `json:"causal"`
		Edges  []Relation  `json:"edges"`
	}
	return jsonl.Each(ctx, r.files.Data, "id", r.progress, func(at jsonl.Place, v record) error {
		if v.Text == "" {
			return at.Want("text", false)
		}
		causal, err := binary(at, v.Causal)
		if err != nil {
			return err
		}
		group := string(v.ID)
		if fields := strings.SplitN(group, "_", 4); len(fields) == 4 {
			group = strings.Join(fields[:3], "_")
		}
		return r.add(at, Item{ID: string(v.ID), Group: group, Text: v.Text, Relations: v.Edges, Gold: truth(causal), Causal: causal})
	})
}

// pairs reads pairs of phrases in sentences, cause first (UniCausal's form of
// SemEval-2010 task 8, Hendrickx et al.).
func (r *reader) pairs(ctx context.Context) error {
	r.set.Labels = []Label{True, False}
	type record struct {
		ID     jsonl.Ident `json:"id"`
		Text   string      `json:"text"`
		Cause  string      `json:"cause"`
		Effect string      `json:"effect"`
		Causal *int        `json:"causal"`
	}
	return jsonl.Each(ctx, r.files.Data, "id", r.progress, func(at jsonl.Place, v record) error {
		for _, need := range []struct{ field, value string }{{"text", v.Text}, {"cause", v.Cause}, {"effect", v.Effect}} {
			if need.value == "" {
				return at.Want(need.field, false)
			}
		}
		causal, err := binary(at, v.Causal)
		if err != nil {
			return err
		}
		return r.add(at, Item{ID: string(v.ID), Group: v.Text, Text: v.Text, Cause: v.Cause, Effect: v.Effect, Gold: truth(causal), Causal: causal})
	})
}

func binary(at jsonl.Place, v *int) (bool, error) {
	if v == nil || *v != 0 && *v != 1 {
		return false, at.Fault("causal", "it is neither 0 nor 1", "want 1 for causal and 0 for the rest")
	}
	return *v == 1, nil
}

func truth(b bool) Label {
	if b {
		return True
	}
	return False
}
