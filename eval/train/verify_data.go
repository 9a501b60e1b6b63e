package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"example.com/assay/decide/claim/support"
	"example.com/assay/eval/claims"
	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/train/linear"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/idf"
)

// folds of the cross-validation.
const folds = 5

// A pool is everything that the judge is trained on.
type pool struct {
	sets  []*claims.Dataset
	words []markedClaim
	texts []string // for counting IDF: pages of WiCE, abstracts of SciFact
	hash  string
}

// A markedClaim is a claim in which people marked the unsupported words.
type markedClaim struct {
	claim    string
	evidence []string
	of       string // the id of the claim that it is a part of
	tokens   []string
	bad      []bool
}

// readPool reads WiCE and SciFact, whose licences let trained weights be
// passed on.
func readPool(ctx context.Context, dir string) (*pool, error) {
	var p pool
	for _, f := range []claims.Files{
		{Format: claims.FormatWice, Data: filepath.Join(dir, "wice", "claims.jsonl.gz")},
		{Format: claims.FormatSciFact, Data: filepath.Join(dir, "scifact", "claims.jsonl"), Corpus: filepath.Join(dir, "scifact", "corpus.jsonl.gz")},
	} {
		set, err := claims.Read(ctx, f, nil)
		if err != nil {
			return nil, err
		}
		p.sets = append(p.sets, set)
	}
	type record struct {
		ID       jsonl.Ident `json:"id"`
		Claim    string      `json:"claim"`
		Tokens   []string    `json:"claim_tokens"`
		Bad      []bool      `json:"non_supported"`
		Evidence []string    `json:"evidence"`
	}
	path := filepath.Join(dir, "wice", "non_supported_tokens.jsonl.gz")
	err := jsonl.Each(ctx, path, "id", nil, func(at jsonl.Place, r record) error {
		if len(r.Tokens) != len(r.Bad) {
			return at.Fault("non_supported", fmt.Sprintf("%d marks for %d tokens", len(r.Bad), len(r.Tokens)), "want one per token")
		}
		of, _, ok := text.CutLast(string(r.ID), "-")
		if !ok {
			return at.Fault("id", fmt.Sprintf("%q names no claim", r.ID), "want the claim's id, a hyphen and a number")
		}
		p.words = append(p.words, markedClaim{claim: r.Claim, evidence: r.Evidence, of: of, tokens: r.Tokens, bad: r.Bad})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading marked words: %w", err)
	}
	if err := p.readTexts(ctx, filepath.Join(dir, "scifact", "corpus.jsonl.gz")); err != nil {
		return nil, err
	}
	p.hash = p.sum()
	return &p, nil
}

// readTexts collects the texts for IDF: every page once, every abstract.
func (p *pool) readTexts(ctx context.Context, corpus string) error {
	seen := map[string]bool{}
	for _, item := range p.sets[0].Items {
		for _, e := range item.Evidence {
			if !seen[e.Passage.Text] {
				seen[e.Passage.Text] = true
				p.texts = append(p.texts, e.Passage.Text)
			}
		}
	}
	type record struct{ Title, Text string }
	err := jsonl.Each(ctx, corpus, "id", nil, func(at jsonl.Place, r record) error {
		p.texts = append(p.texts, r.Title+"\n\n"+r.Text)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading abstracts: %w", err)
	}
	return nil
}

// idf counts the sentences with each word of all texts.
func (p *pool) idf() idf.Table {
	var sentences []string
	for _, t := range p.texts {
		sentences = append(sentences, support.Sentences(t)...)
	}
	return idf.New(support.Stems(sentences))
}

// sum returns the SHA-256 of all training data.
func (p *pool) sum() string {
	h := sha256.New()
	for _, set := range p.sets {
		fmt.Fprintln(h, set.Format, set.Hash)
	}
	for _, w := range p.words {
		fmt.Fprintf(h, "%q %q %q %v\n", w.of, w.claim, w.tokens, w.bad)
	}
	for _, t := range p.texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// folds deals the items of each set, by group.
func (p *pool) folds() map[string][]int {
	out := map[string][]int{}
	for _, set := range p.sets {
		groups := make([]string, len(set.Items))
		for i, item := range set.Items {
			groups[i] = item.Group
		}
		out[set.Format] = linear.Folds(groups, folds)
	}
	return out
}

// measure turns claims and marked words into features.
func (p *pool) measure(m *support.Model, dealt map[string][]int) ([]sample, []judgedTerm, error) {
	var samples []sample
	foldOf := map[string]int{}
	for _, set := range p.sets {
		for i, item := range set.Items {
			e := m.PrepareSources(claims.Sources(item.Evidence))
			s := sample{set: set.Format, fold: dealt[set.Format][i], good: item.Gold == claims.Supported, width: e.Width(), claim: e.Features(item.Text)}
			for _, t := range e.Terms(item.Text) {
				s.terms = append(s.terms, t.Features)
			}
			samples = append(samples, s)
			foldOf[item.ID] = s.fold
		}
	}
	var terms []judgedTerm
	for _, w := range p.words {
		fold, ok := foldOf[w.of]
		if !ok {
			return nil, nil, fmt.Errorf("reading marked words: there is no claim %q; do both files of wice belong together?", w.of)
		}
		e := m.PrepareSources([]support.Source{{Text: strings.Join(w.evidence, "\n\n")}})
		starts := w.starts()
		for _, t := range e.Terms(w.claim) {
			if k := within(starts, w.tokens, t.Start); k >= 0 {
				terms = append(terms, judgedTerm{fold: fold, bad: w.bad[k], width: e.Width(), features: t.Features})
			}
		}
	}
	return samples, terms, nil
}

// starts returns the byte offsets of the tokens in the claim, −1 for one that is written
// differently.
func (w *markedClaim) starts() []int {
	out := make([]int, len(w.tokens))
	at := 0
	for i, t := range w.tokens {
		k := strings.Index(w.claim[at:], t)
		if k < 0 {
			out[i] = -1
			continue
		}
		out[i] = at + k
		at += k + len(t)
	}
	return out
}

// within returns the token that contains a byte, or −1.
func within(starts []int, tokens []string, at int) int {
	for i, s := range starts {
		if s >= 0 && s <= at && at < s+len(tokens[i]) {
			return i
		}
	}
	return -1
}
