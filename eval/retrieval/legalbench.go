package retrieval

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// legalbench reads LegalBench-RAG: whole documents, and queries whose answers are spans of
// characters. The documents are split into passages. A passage is relevant if it shares at least
// half of its own characters or half of a span's with a span; so every span has a relevant passage.
func (r *reader) legalbench(ctx context.Context) error {
	docs := map[string][]rune{}
	of := map[string][]int{} // passages of a document
	r.set.spans = []metrics.Span{}
	err := jsonl.Each(ctx, r.files.Corpus, "id", r.progress, func(at jsonl.Place, c corpusRecord) error {
		id := string(c.ID)
		if err := at.Unique(r.passageLine, id); err != nil {
			return err
		}
		if strings.TrimSpace(c.Text) == "" {
			r.set.Empty++
			return nil
		}
		docs[id] = []rune(c.Text)
		for _, piece := range cut(docs[id]) {
			text := string(docs[id][piece.start:piece.end])
			p := state.Passage{
				ID: fmt.Sprintf("%s#%d-%d", id, piece.offset, piece.offset+len(text)), Doc: id, Source: id,
				Text: text, Start: piece.offset, End: piece.offset + len(text), Line: at.Line,
			}
			r.set.at[p.ID] = len(r.set.Passages)
			of[id] = append(of[id], len(r.set.Passages))
			r.set.Passages = append(r.set.Passages, p)
			r.set.spans = append(r.set.spans, metrics.Span{Doc: id, Start: piece.start, End: piece.end})
		}
		return nil
	})
	if err != nil {
		return err
	}
	type snippet struct {
		Doc   jsonl.Ident `json:"doc_id"`
		Start *int        `json:"start"` // characters
		End   *int        `json:"end"`
		Text  string      `json:"text"`
	}
	type record struct {
		ID       jsonl.Ident `json:"id"`
		Query    string      `json:"query"`
		Snippets []snippet   `json:"snippets"`
	}
	return jsonl.Each(ctx, r.files.Queries, "id", r.progress, func(at jsonl.Place, q record) error {
		if err := at.Want("query", strings.TrimSpace(q.Query) != ""); err != nil {
			return err
		}
		if err := at.Want("snippets", q.Snippets != nil); err != nil {
			return err
		}
		query := Query{ID: string(q.ID), Texts: []string{q.Query}, Judged: metrics.Judgments{}}
		for i, s := range q.Snippets {
			field := fmt.Sprintf("snippets[%d]", i)
			text, ok := docs[string(s.Doc)]
			switch {
			case !ok:
				return at.Fault(field+".doc_id", fmt.Sprintf("%q is no document of %s", string(s.Doc), r.files.Corpus), "give the corpus that the queries belong to")
			case s.Start == nil || s.End == nil || *s.Start < 0 || *s.Start >= *s.End || *s.End > len(text):
				return at.Fault(field, fmt.Sprintf("its start and end are no span of the document's %d characters", len(text)), "start and end count characters from 0; end is exclusive")
			case s.Text != "" && s.Text != string(text[*s.Start:*s.End]):
				return at.Fault(field+".text", "it is not what the document has from start to end", "start and end count characters, not bytes")
			}
			gold := metrics.Span{Doc: string(s.Doc), Start: *s.Start, End: *s.End}
			query.Gold = append(query.Gold, gold)
			for _, p := range of[gold.Doc] {
				shared := 2 * metrics.Overlap([]metrics.Span{r.set.spans[p]}, []metrics.Span{gold})
				if span := r.set.spans[p]; shared > 0 && (shared >= span.End-span.Start || shared >= gold.End-gold.Start) {
					query.Judged[r.set.Passages[p].ID] = 1
				}
			}
		}
		return r.query(at, query)
	})
}

// cutSize is the greatest number of characters of a passage of a split document.
const cutSize = 500

// A piece is a passage of a document: its characters, and the byte offset of the first.
type piece struct{ start, end, offset int }

// cut splits a text into pieces of at most cutSize characters, each as long as possible: after a
// line break or after . ; : ! ? before a space, else after a space, else between characters. A
// piece is never only white space.
func cut(s []rune) []piece {
	var out []piece
	offset := 0
	for start := 0; start < len(s); {
		end := start + cutAt(s[start:])
		text := string(s[start:end])
		if strings.TrimSpace(text) != "" {
			out = append(out, piece{start: start, end: end, offset: offset})
		}
		offset += len(text)
		start = end
	}
	return out
}

// cutAt returns where the first piece of s ends.
func cutAt(s []rune) int {
	if len(s) <= cutSize {
		return len(s)
	}
	space := 0
	for i := cutSize - 1; i >= 0; i-- {
		if s[i] == '\n' || s[i+1] == ' ' && strings.ContainsRune(".;:!?", s[i]) {
			return i + 1
		}
		if space == 0 && s[i] == ' ' {
			space = i + 1
		}
	}
	if space > 0 {
		return space
	}
	return cutSize
}
