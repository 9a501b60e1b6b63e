package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory"
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// mostHits bounds --k.
const mostHits = 1000

// excerptBytes is how much of a passage is shown without --full.
const excerptBytes = 240

func (a *app) searchCommand() *cobra.Command {
	var flags settingFlags
	var k int
	var explain, full, asJSON bool
	var alternatives []string
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find passages of a corpus, without an answer",
		Long: `Search returns the passages that fit a query best, with their file, section and
range of bytes, and how sure the index is that they are about it: from 0.70 they
are, up to 0.35 the corpus does not hold it. No model is asked, but for a
reranker that is one.

With --explain each passage shows what put it where it is: the summands of its
score, and the score of a trained ranker or a reranker where one orders them. Exit code 3 says that nothing was found.`,
		Example: `  agent search "elements of battery"
  agent search --corpus handbook --k 20 --json "notice period"
  agent search --explain --also "hostile touching" "harmful contact"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.questionText(cmd.Context(), args)
			if err == nil && (k < 1 || k > mostHits) {
				err = usagef("--k is %d: it must be from 1 to %d", k, mostHits)
			}
			if err != nil {
				return err
			}
			return a.search(cmd, &flags, index.Query{Primary: text, Alternatives: alternatives, K: k}, explain, full, asJSON)
		},
	}
	f := cmd.Flags()
	f.String("corpus", defaultCorpus, "`NAME` of the corpus to search; until something is ingested into \"default\", the embedded sample")
	f.StringVar(&flags.config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	f.IntVar(&k, "k", 5, "`NUMBER` of passages")
	f.StringArrayVar(&alternatives, "also", nil, "another `WORDING` of the query, which adds candidates; may be repeated")
	f.BoolVar(&explain, "explain", false, "show the scores of each passage")
	f.BoolVar(&full, "full", false, "show whole passages")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) search(cmd *cobra.Command, flags *settingFlags, q index.Query, explain, full, asJSON bool) (err error) {
	ctx := cmd.Context()
	s, err := a.resolve(cmd, flags)
	if err != nil {
		return err
	}
	set, err := s.loadSkills()
	if err != nil {
		return err
	}
	f, err := a.openFinder(ctx, s, set, a.newExchange(s))
	if err != nil {
		return err
	}
	defer func() { err = also(err, f.close()) }()
	corpus, err := a.openCorpus(ctx, s.home, s.corpus, f.options())
	if err != nil {
		return err
	}
	defer func() { err = also(err, corpus.Close()) }()
	found, err := corpus.Search(ctx, q)
	if err != nil {
		return err
	}
	if found.Fallback != "" {
		a.warn("the passages are in the index's own order, since the reranker failed: %s", found.Fallback)
	}
	if asJSON {
		a.printJSON(searched(corpus, q, found))
	} else {
		a.printHits(found, explain, full)
	}
	if len(found.Hits) == 0 {
		return silent(exitNoEvidence)
	}
	return nil
}

// searched is the JSON of a search.
func searched(corpus *memory.Corpus, q index.Query, found index.Result) any {
	hits := found.Hits
	if hits == nil {
		hits = []state.Hit{}
	}
	return struct {
		Schema     int         `json:"schema"`
		Corpus     string      `json:"corpus"`
		Query      string      `json:"query"`
		Also       []string    `json:"also,omitempty"`
		Confidence float64     `json:"confidence"`
		Similarity float64     `json:"similarity"`
		Strength   float64     `json:"strength"`
		Candidates int         `json:"candidates"`
		Reranker   string      `json:"reranker,omitempty"`
		Fallback   string      `json:"fallback,omitempty"`
		Hits       []state.Hit `json:"hits"`
	}{1, corpus.Name(), q.Primary, q.Alternatives, found.Confidence, found.Similarity, found.Strength, found.Candidates, found.Reranker, found.Fallback, hits}
}

func (a *app) printHits(found index.Result, explain, full bool) {
	for _, h := range found.Hits {
		p := h.Passage
		text := strings.Join(strings.Fields(p.Text), " ")
		if !full && len(text) > excerptBytes {
			text = text[:strings.LastIndexByte(text[:excerptBytes], ' ')+1] + "…"
		}
		fmt.Fprintf(a.stdout, "%d. %s\n   %s, bytes %d–%d\n   %s\n", h.Rank, render.Visible(p.Where()), render.Visible(p.Source), p.Start, p.End, render.Visible(text))
		if explain {
			fmt.Fprintf(a.stdout, "   %s\n", scores(h.Scores))
		}
	}
	if len(found.Hits) == 0 {
		fmt.Fprintln(a.stdout, "nothing was found")
	}
	line := fmt.Sprintf("confidence %.2f · %s looked at", found.Confidence, count(found.Candidates, "passage"))
	if explain {
		line += fmt.Sprintf(" · covers the query %.2f, strength %.2f", found.Similarity, found.Strength)
	}
	if found.Reranker != "" {
		line += " · ordered by " + render.Visible(found.Reranker)
	}
	fmt.Fprintln(a.stdout, line)
}

// scores shows the first score as the sum of the others that are not zero, and
// beside it what a trained ranker or a reranker gave.
func scores(list []state.Score) string {
	var b, order strings.Builder
	for i, s := range list {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "%s %.3f", s.Ranker, s.Value)
			continue
		case s.Ranker == index.RankerTrained || s.Ranker == memory.RankerRerank:
			fmt.Fprintf(&order, "; %s %.3f", s.Ranker, s.Value)
			continue
		case s.Value == 0:
			continue
		case strings.Contains(b.String(), "="):
			b.WriteString(" + ")
		default:
			b.WriteString(" = ")
		}
		fmt.Fprintf(&b, "%s %.3f", s.Ranker, s.Value)
	}
	return b.String() + order.String()
}
