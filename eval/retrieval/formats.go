package retrieval

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// A corpusRecord is a passage as most formats write it.
type corpusRecord struct {
	ID    jsonl.Ident `json:"id"`
	Doc   jsonl.Ident `json:"doc_id"` // the document it belongs to; itself when absent
	Title string      `json:"title"`
	Text  string      `json:"text"`
}

// corpus reads passages, or takes those that are there.
func (r *reader) corpus(ctx context.Context) error {
	if r.opts.Held != nil {
		r.hold()
		return nil
	}
	return jsonl.Each(ctx, r.files.Corpus, "id", r.progress, func(at jsonl.Place, c corpusRecord) error {
		return r.passage(at, state.Passage{ID: string(c.ID), Doc: string(cmp.Or(c.Doc, c.ID)), Title: c.Title, Text: c.Text, Line: at.Line})
	})
}

// beir reads the layout of Thakur et al., "BEIR", NeurIPS 2021.
func (r *reader) beir(ctx context.Context) error {
	type record struct {
		BeirID jsonl.Ident `json:"_id"`
		ID     jsonl.Ident `json:"id"`
		Title  string      `json:"title"`
		Text   string      `json:"text"`
	}
	if r.opts.Held != nil {
		r.hold()
	} else if err := jsonl.Each(ctx, r.files.Corpus, "_id", r.progress, func(at jsonl.Place, c record) error {
		id := string(cmp.Or(c.BeirID, c.ID))
		return r.passage(at, state.Passage{ID: id, Doc: id, Title: c.Title, Text: c.Text, Line: at.Line})
	}); err != nil {
		return err
	}
	judged, err := r.qrels(ctx)
	if err != nil {
		return err
	}
	return jsonl.Each(ctx, r.files.Queries, "_id", r.progress, func(at jsonl.Place, q record) error {
		if err := at.Want("text", strings.TrimSpace(q.Text) != ""); err != nil {
			return err
		}
		id := string(cmp.Or(q.BeirID, q.ID))
		return r.query(at, Query{ID: id, Texts: []string{q.Text}, Judged: judged[id]})
	})
}

// qrels reads judgments: "query-id corpus-id score" separated by tabs, below
// such a header or without one, or TREC's "query iteration document grade".
func (r *reader) qrels(ctx context.Context) (map[string]metrics.Judgments, error) {
	out := map[string]metrics.Judgments{}
	return out, jsonl.EachLine(ctx, r.files.Qrels, r.progress, func(line int, text []byte) error {
		at := jsonl.Place{Path: r.files.Qrels, Line: line}
		columns := strings.Fields(string(text))
		if bytes.Contains(text, []byte("\t")) {
			columns = strings.Split(strings.TrimRight(string(text), "\r"), "\t")
		}
		var query, passage, score string
		switch len(columns) {
		case 3:
			query, passage, score = columns[0], columns[1], columns[2]
		case 4:
			query, passage, score = columns[0], columns[2], columns[3]
		default:
			return at.Fault("", "it has "+strconv.Itoa(len(columns))+" columns", "want query-id, corpus-id, score, separated by tabs, or TREC's query, 0, document, grade")
		}
		grade, err := strconv.Atoi(strings.TrimSpace(score))
		if err != nil {
			if len(out) == 0 && strings.Contains(query, "query") {
				return nil // the header
			}
			return at.Fault("score", strconv.Quote(score)+" is not a whole number", "grades are whole numbers, 0 for not relevant")
		}
		if err := checkGrade(at, "score", passage, grade); err != nil {
			return err
		}
		if out[query] == nil {
			out[query] = metrics.Judgments{}
		}
		if _, twice := out[query][passage]; twice {
			return at.Fault("corpus-id", strconv.Quote(passage)+" is judged twice for query "+strconv.Quote(query), "keep one judgment of each pair")
		}
		out[query][passage] = grade
		return nil
	})
}

// obliqa reads ObliQA: passages of rulebooks, questions with their qrels.
func (r *reader) obliqa(ctx context.Context) error {
	type record struct {
		ID       jsonl.Ident    `json:"id"`
		Question string         `json:"question"`
		Qrels    map[string]int `json:"qrels"`
	}
	if err := r.corpus(ctx); err != nil {
		return err
	}
	return jsonl.Each(ctx, r.files.Queries, "id", r.progress, func(at jsonl.Place, q record) error {
		return r.judged(at, string(q.ID), "question", q.Question, q.Qrels)
	})
}

// scifact reads SciFact: abstracts with titles, claims with their qrels.
func (r *reader) scifact(ctx context.Context) error {
	type record struct {
		ID    jsonl.Ident    `json:"id"`
		Claim string         `json:"claim"`
		Qrels map[string]int `json:"qrels"`
	}
	if err := r.corpus(ctx); err != nil {
		return err
	}
	return jsonl.Each(ctx, r.files.Queries, "id", r.progress, func(at jsonl.Place, q record) error {
		return r.judged(at, string(q.ID), "claim", q.Claim, q.Qrels)
	})
}

// judged adds a query with the judgments in its record.
func (r *reader) judged(at jsonl.Place, id, field, text string, qrels map[string]int) error {
	if err := at.Want(field, strings.TrimSpace(text) != ""); err != nil {
		return err
	}
	if err := at.Want("qrels", qrels != nil); err != nil {
		return err
	}
	for _, passage := range slices.Sorted(maps.Keys(qrels)) {
		if err := checkGrade(at, "qrels", passage, qrels[passage]); err != nil {
			return err
		}
	}
	return r.query(at, Query{ID: id, Texts: []string{text}, Judged: qrels})
}

// morehopqa reads MoreHopQA: titled passages, questions of several hops.
func (r *reader) morehopqa(ctx context.Context) error {
	type record struct {
		ID       jsonl.Ident   `json:"id"`
		Question string        `json:"question"`
		Gold     []jsonl.Ident `json:"gold_passage_ids"`
	}
	if err := r.corpus(ctx); err != nil {
		return err
	}
	return jsonl.Each(ctx, r.files.Queries, "id", r.progress, func(at jsonl.Place, q record) error {
		if err := at.Want("gold_passage_ids", q.Gold != nil); err != nil {
			return err
		}
		return r.judged(at, string(q.ID), "question", q.Question, relevant(q.Gold))
	})
}

// barexam reads bar-exam questions. The query is the facts, which may be empty, the question and
// its choices. With pooling, each choice is an additional query without the facts, which would
// otherwise dominate all four.
func (r *reader) barexam(ctx context.Context) error {
	type record struct {
		ID       jsonl.Ident       `json:"id"`
		Prompt   string            `json:"prompt"`
		Question string            `json:"question"`
		Choices  map[string]string `json:"choices"`
		Gold     []jsonl.Ident     `json:"gold_passage_ids"`
	}
	if err := r.corpus(ctx); err != nil {
		return err
	}
	return jsonl.Each(ctx, r.files.Queries, "id", r.progress, func(at jsonl.Place, q record) error {
		for _, need := range []struct {
			field string
			ok    bool
		}{{"question", strings.TrimSpace(q.Question) != ""}, {"choices", len(q.Choices) > 0}, {"gold_passage_ids", q.Gold != nil}} {
			if err := at.Want(need.field, need.ok); err != nil {
				return err
			}
		}
		asked := strings.TrimSpace(q.Prompt + "\n" + q.Question)
		letters := slices.Sorted(maps.Keys(q.Choices))
		texts := []string{asked}
		for _, letter := range letters {
			texts[0] += "\n" + q.Choices[letter]
		}
		if r.opts.Choices == choicesPooled {
			for _, letter := range letters {
				if strings.TrimSpace(q.Choices[letter]) == "" {
					continue // nothing to ask
				}
				texts = append(texts, q.Choices[letter])
			}
		}
		return r.query(at, Query{ID: string(q.ID), Texts: texts, Judged: relevant(q.Gold)})
	})
}
