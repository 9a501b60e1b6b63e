package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// mostHits bounds --k.
const mostHits = 1000

// mostNeighbours bounds --neighbours, as the index does.
const mostNeighbours = 20

func runSearch(a *cli.App, cmd *cobra.Command, flags *config.Flags, q retrieval.Query, explain, full, asJSON bool) (err error) {
	ctx := cmd.Context()
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	set, err := s.LoadSkills()
	if err != nil {
		return err
	}
	x := open.PlainExchange(a, s)
	defer func() { err = cli.Also(err, x.Close()) }()
	f, err := open.NewFinder(ctx, a, s, set, x)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, f.Close()) }()
	corpus, err := open.Corpus(ctx, a, s, f.Options())
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, corpus.Close()) }()
	found, err := corpus.Search(ctx, q)
	if unknown, ok := errors.AsType[*retrieval.UnknownKeyError](err); ok {
		return cli.Usagef("--filter: %v", unknown)
	}
	if err == nil && len(found.Hits) == 0 {
		err = unknownValues(ctx, a, corpus, q.Filter)
	}
	if err != nil {
		return err
	}
	if found.Fallback != "" {
		a.Warn("the passages are in the index's own order, since the reranker failed: %s", found.Fallback)
	}
	if found.Uninspected != "" {
		a.Warn("%s%s", retrieval.NotInspected, found.Uninspected)
	}
	if asJSON {
		a.PrintJSON(searched(corpus, q, found))
	} else {
		printHits(a, found, explain, full)
	}
	if len(found.Hits) == 0 {
		return cli.Silent(cli.ExitNoEvidence)
	}
	return nil
}

// searched is the JSON document of a search.
func searched(corpus *memory.Corpus, q retrieval.Query, found retrieval.Result) any {
	hits := found.Hits
	if hits == nil {
		hits = []state.Hit{}
	}
	return struct {
		Schema     int                   `json:"schema"`
		Corpus     string                `json:"corpus"`
		Query      string                `json:"query"`
		Also       []string              `json:"also,omitempty"`
		Confidence float64               `json:"confidence"`
		Similarity float64               `json:"similarity"`
		Strength   float64               `json:"strength"`
		Respelt    []state.Respelling    `json:"searched_for,omitempty"`
		Filter     []retrieval.Condition `json:"filter,omitempty"`
		MMR        float64               `json:"mmr,omitempty"`
		Candidates int                   `json:"candidates"`
		Widened    int                   `json:"widened"`
		Citations  []retrieval.Cited     `json:"citations,omitempty"`
		Reranker   string                `json:"reranker,omitempty"`
		Fallback   string                `json:"fallback,omitempty"`
		Hits       []state.Hit           `json:"hits"`
	}{1, corpus.Name(), q.Primary, q.Alternatives, found.Confidence, found.Similarity, found.Strength, found.Respelt, q.Filter, q.MMR, found.Candidates, found.Widened, found.Citations, found.Reranker, found.Fallback, hits}
}

func printHits(a *cli.App, found retrieval.Result, explain, full bool) {
	fmt.Fprint(a.Stdout, render.SearchedFor(found.Respelt))
	for _, c := range found.Citations {
		printCited(a, c)
	}
	for _, h := range found.Hits {
		p := h.Passage
		fmt.Fprintf(a.Stdout, "%d. %s\n   %s, bytes %d–%d\n", h.Rank, render.Visible(p.Where()), render.Visible(p.Source), p.Start, p.End)
		for _, n := range h.Before {
			fmt.Fprintf(a.Stdout, "   ↑ bytes %d–%d: %s\n", n.Start, n.End, render.Excerpt(n.Text, full))
		}
		fmt.Fprintf(a.Stdout, "   %s\n", render.Excerpt(p.Text, full))
		for _, n := range h.After {
			fmt.Fprintf(a.Stdout, "   ↓ bytes %d–%d: %s\n", n.Start, n.End, render.Excerpt(n.Text, full))
		}
		if explain {
			fmt.Fprintf(a.Stdout, "   %s\n", scores(h.Scores))
			if len(h.Copies) > 0 {
				fmt.Fprintf(a.Stdout, "   says the same: %s\n", render.Visible(strings.Join(h.Copies, ", ")))
			}
		}
	}
	if len(found.Hits) == 0 {
		fmt.Fprintln(a.Stdout, "nothing was found")
	}
	line := fmt.Sprintf("confidence %.2f · %s looked at", found.Confidence, cli.Count(found.Candidates, "passage"))
	if explain {
		line += fmt.Sprintf(", %d of them for other wordings alone · covers the query %.2f, strength %.2f", found.Widened, found.Similarity, found.Strength)
	}
	if found.Reranker != "" {
		line += " · ordered by " + render.Visible(found.Reranker)
	}
	fmt.Fprintln(a.Stdout, line)
}

// printCited says which passages of the corpus belong to a part that the query names.
func printCited(a *cli.App, c retrieval.Cited) {
	text := render.Visible(c.Text)
	switch {
	case c.Found == "":
		fmt.Fprintf(a.Stdout, "%s: the corpus has no such heading or number\n", text)
	case c.Exact && c.Documents > 1:
		fmt.Fprintf(a.Stdout, "%s: %s of %s\n", text, cli.Count(c.Passages, "passage"), cli.Count(c.Documents, "document"))
	case c.Exact:
		fmt.Fprintf(a.Stdout, "%s: %s\n", text, cli.Count(c.Passages, "passage"))
	default:
		fmt.Fprintf(a.Stdout, "%s: has no passage of its own; %s of or within %s\n", text, cli.Count(c.Passages, "passage"), render.Visible(c.Found))
	}
}

// scores shows the first score as a sum, and after it the scores that are not part of the sum.
func scores(list []state.Score) string {
	if len(list) == 0 {
		return ""
	}
	texts := func(some []state.Score) []string {
		var out []string
		for _, s := range some {
			out = append(out, fmt.Sprintf("%s %.3f", s.Ranker, s.Value))
		}
		return out
	}
	e := retrieval.Explain(list)
	line := fmt.Sprintf("%s %.3f", e.Sum.Ranker, e.Sum.Value)
	if len(e.Summands) > 0 {
		line += " = " + strings.Join(texts(e.Summands), " + ")
	}
	return strings.Join(append([]string{line}, texts(e.Others)...), " · ")
}

// conditions reads the filters of a command line.
func conditions(filters []string) ([]retrieval.Condition, error) {
	var out []retrieval.Condition
	for _, f := range filters {
		c, err := retrieval.ParseCondition(f)
		if err != nil {
			return nil, cli.Usagef("--filter: %v", err)
		}
		out = append(out, c)
	}
	return out, nil
}

// knownValues bounds the values of a key with which a misspelt value is compared.
const knownValues = 10_000

// unknownValues warns about values that no passage has: they may be the reason why nothing was found.
func unknownValues(ctx context.Context, a *cli.App, corpus *memory.Corpus, filter []retrieval.Condition) error {
	if len(filter) == 0 {
		return nil
	}
	facets, err := corpus.Facets(ctx, knownValues)
	if err != nil {
		return err
	}
	for _, c := range filter {
		var known []string
		for _, f := range facets {
			for _, v := range f.Values {
				if f.Key == c.Key {
					known = append(known, v.Value)
				}
			}
		}
		for _, value := range c.OneOf {
			if !slices.Contains(known, value) {
				a.Warn("no passage has %s=%s%s", c.Key, value, text.DidYouMean(value, known))
			}
		}
	}
	return nil
}
