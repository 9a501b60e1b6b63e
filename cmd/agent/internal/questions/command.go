// Package questions is agent questions: it drafts questions from a corpus, for agent eval answers.
//
// Package eval/answers makes the drafts; a person must correct them.
package questions

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/answers"
	"example.com/assay/internal/plainjson"
	"example.com/assay/memory"
	"example.com/assay/state"
)

// mostDrafts bounds --n.
const mostDrafts = 10_000

// Command is agent questions.
func Command(a *cli.App) *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:   "questions CORPUS",
		Short: "Draft questions about a corpus, to measure answers with",
		Long: `Questions drafts a file for agent eval answers from a corpus: "What is X?" from
definitions, "What is the default of X?" where one is stated, "How do I …?" from
headings that begin with a verb, and "What is the maximum …?" where a limit is
stated. Each has the words that a right quote holds (gold), their file and passage,
a half (seen or held), and "draft": true. No model is called, and the same corpus
gives the same drafts.

Rules turn sentences into drafts. Before you measure with them, delete those that make
no sense, rewrite the others as people ask, shorten gold to the fact, add other
wordings of it, and remove "draft". Add questions that the corpus does not answer, with
"answerable": false: a measurement needs questions that must be refused.`,
		Example: `  agent questions handbook > questions.jsonl
  agent questions handbook --n 200 > questions.jsonl
  agent eval answers --corpus handbook --data questions.jsonl --half seen`,
	}
	cmd.Flags().IntVar(&n, "n", answers.DefaultDrafts, "`NUMBER` of questions, at most")
	cmd.Args = cli.Exactly(1, "the name of a corpus")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if n < 1 || n > mostDrafts {
			return cli.Usagef("--n is %d: it must be from 1 to %d", n, mostDrafts)
		}
		corpus, err := open.Named(a, cmd, args[0])
		if err != nil {
			return err
		}
		defer func() { err = cli.Also(err, corpus.Close()) }()
		return draftQuestions(cmd.Context(), a, corpus, n)
	}
	return cmd
}

func draftQuestions(ctx context.Context, a *cli.App, corpus *memory.Corpus, n int) error {
	progress := render.NewBar(a, false)
	passages, err := allPassages(ctx, corpus, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	list := answers.Draft(passages, &answers.DraftOptions{Corpus: corpus.Name(), N: n})
	if len(list) == 0 {
		return fmt.Errorf("corpus %q has no sentence or heading that a question can be made from; write questions by hand: agent help eval answers shows their form", corpus.Name())
	}
	out := a.JSONOut()
	for _, q := range list {
		line, err := plainjson.Encode(q)
		if err == nil {
			_, err = out.Write(append(line, '\n'))
		}
		if err != nil {
			return fmt.Errorf("writing the questions: %w", err)
		}
	}
	fmt.Fprintf(a.Stderr, "agent: %s; correct them by hand before you measure with them: agent help questions says how\n", cli.Count(len(list), "draft"))
	return nil
}

// allPassages reads the passages of a corpus.
func allPassages(ctx context.Context, corpus *memory.Corpus, progress func(string, int, int)) ([]state.Passage, error) {
	ids, err := corpus.PassageIDs()
	if err != nil {
		return nil, err
	}
	out := make([]state.Passage, 0, len(ids))
	for i, id := range ids {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("reading the passages of corpus %q: %w", corpus.Name(), err)
		}
		p, ok, err := corpus.Passage(id)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, p)
		}
		progress("reading passages", i+1, len(ids))
	}
	return out, nil
}
