package retrieval

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/assay/eval/jsonl"
)

// A Run is the ranking of each query in a TREC run file, by the query's ID in the file.
type Run map[string][]string

// token returns an ID as one word: white space as %XX per byte. Other IDs are returned unchanged.
func token(id string) string {
	if strings.IndexFunc(id, unicode.IsSpace) < 0 {
		return id
	}
	var b strings.Builder
	for _, r := range id {
		if !unicode.IsSpace(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// checkTokens returns an error if two IDs are equal as words.
func (d *Dataset) checkTokens() error {
	passages, queries := make([]string, len(d.Passages)), make([]string, len(d.Queries))
	for i, p := range d.Passages {
		passages[i] = p.ID
	}
	for i, q := range d.Queries {
		queries[i] = q.ID
	}
	for _, list := range [][]string{passages, queries} {
		seen := make(map[string]string, len(list))
		for _, id := range list {
			if other, ok := seen[token(id)]; ok {
				return fmt.Errorf("the ids %q and %q are both %q in a run file; rename one", other, id, token(id))
			}
			seen[token(id)] = id
		}
	}
	return nil
}

// writeRun writes a run file for trec_eval, "query Q0 passage rank score tag" per line. White space
// in IDs becomes %XX. trec_eval sorts by the score, in 32 bits, and not by the rank, so a score
// that is not below the previous one is lowered to the next smaller 32-bit number.
func writeRun(w io.Writer, d *Dataset, e Evaluation, tag string) error {
	if err := d.checkTokens(); err != nil {
		return fmt.Errorf("writing the run: %w", err)
	}
	out := bufio.NewWriter(w)
	for _, item := range e.Items {
		last := float32(math.Inf(1))
		for i, s := range item.Ranked {
			score := float32(s.Score)
			if score >= last {
				score = math.Nextafter32(last, float32(math.Inf(-1)))
			}
			last = score
			fmt.Fprintf(out, "%s Q0 %s %d %s %s\n", token(item.Query.ID), token(s.ID), i+1, strconv.FormatFloat(float64(score), 'g', -1, 32), tag)
		}
	}
	if err := out.Flush(); err != nil { // the first error of all writes
		return fmt.Errorf("writing the run: %w", err)
	}
	return nil
}

// readRun reads a run file, compressed or not, and sorts it as trec_eval does: by score in 32 bits,
// highest first, then by ID, highest first, regardless of the ranks. For a fault of the file it
// returns a *document.InputError.
func readRun(ctx context.Context, path string) (Run, error) {
	type entry struct {
		id    string
		score float32
	}
	lists := map[string][]entry{}
	seen := map[string]int{}
	err := jsonl.EachLine(ctx, path, nil, func(line int, text []byte) error {
		at := jsonl.Place{Path: path, Line: line}
		columns := strings.Fields(string(text))
		if len(columns) != 6 {
			return at.Fault("", fmt.Sprintf("it has %d columns", len(columns)), "want TREC's six: query Q0 passage rank score tag")
		}
		query, id := columns[0], columns[2]
		score, err := strconv.ParseFloat(columns[4], 32)
		if err != nil || math.IsNaN(score) {
			return at.Fault("score", fmt.Sprintf("%q is not a number", columns[4]), "the fifth column is the score")
		}
		key := query + " " + id
		if before, ok := seen[key]; ok {
			return at.Fault("passage", fmt.Sprintf("%q was ranked for query %q in line %d, too", id, query, before), "keep one line of each pair")
		}
		seen[key] = line
		lists[query] = append(lists[query], entry{id, float32(score)})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the run: %w", err)
	}
	run := make(Run, len(lists))
	for query, list := range lists {
		slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
		for _, e := range list {
			run[query] = append(run[query], e.id)
		}
	}
	return run, nil
}
