package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/answers"
	"example.com/assay/eval/metrics"
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// evalAnswersFlags are the flags of eval answers.
type evalAnswersFlags struct {
	settings config.Flags
	data     string
	half     string
	limit    int
	asJSON   bool
}

func evalAnswersCommand(a *cli.App) *cobra.Command {
	var f evalAnswersFlags
	cmd := &cobra.Command{
		Use:   "answers --data FILE",
		Short: "Measure answers to your own questions",
		Long: `Answers asks each question of a file as agent ask does, without the memory of
earlier questions, and prints how often the right fact is answered, with 95 %
bootstrap intervals. The file is JSON Lines, plain or compressed with gzip (.gz):

  {"id": "1", "corpus": "handbook", "type": "numeric",
   "question": "Within how many days is a refund paid?",
   "gold": ["fourteen days", "14 days"], "half": "seen"}
  {"id": "2", "question": "Who is the king of Norway?", "answerable": false}

gold is what a right quote holds: the fact itself, as short as can be, one string
for each wording. Strings are compared without case, white space and typographic
quotes, at the borders of words. gold2 is for questions of two parts. corpus, type,
half and gold2 may be left out. agent questions drafts such a file.

Each question is asked of the corpus that it names, else of --corpus; with
--corpus, questions that name another corpus are left out.

Of the questions that have an answer:
  answered   is answered with exit code 0
  first      gold stands in the first quote
  answer     gold stands in the answer, its list of sources left out
  source     gold stands in the text of a cited source
  R@k        gold stands in one of the first k passages of agent search
Of the others, refused is the share that ends with exit code 3. Of what was
answered, AUC is how well the confidence tells right answers from wrong ones, ECE
how far the confidence is from the share of right answers, and chars the mean
length of the answer. Tables follow by corpus and by type.

Choose with one half of the questions and report the other: --half.`,
		Example: `  agent eval answers --corpus handbook --data questions.jsonl
  agent eval answers --data questions.jsonl --half seen
  agent eval answers --data questions.jsonl --limit 20 --json
  agent eval answers --data questions.jsonl --model ollama:llama3.1`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.data == "":
				return cli.Usagef("--data is missing: name a file of questions; agent questions drafts one, and agent help eval answers shows its form")
			case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
				return cli.Usagef("--limit is %d: it must be at least 1; leave it out to ask every question", f.limit)
			case f.half == "" && cmd.Flags().Changed("half"):
				return cli.Usagef("--half is empty; leave it out to ask every question")
			}
			return evalAnswers(a, cmd, &f)
		},
	}
	flags := cmd.Flags()
	flags.String("corpus", config.DefaultCorpus, "`NAME` of the corpus to ask; without it, each question's own")
	f.settings.RegisterPipeline(cmd)
	f.settings.RegisterTimeout(cmd)
	flags.StringVar(&f.data, "data", "", "`FILE` of questions (JSON Lines)")
	flags.StringVar(&f.half, "half", "", "ask only questions whose half is `NAME`, such as seen or held")
	flags.IntVar(&f.limit, "limit", 0, "ask only the first `N` questions")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func evalAnswers(a *cli.App, cmd *cobra.Command, f *evalAnswersFlags) error {
	s, err := config.Resolve(a, cmd, &f.settings)
	if err != nil {
		return err
	}
	s.Memory = false
	progress := render.NewBar(a, f.asJSON)
	set, err := f.read(cmd, s.Corpus, progress.Update)
	if err != nil {
		return errors.Join(err, progress.Close())
	}
	got, err := measureAnswers(cmd.Context(), a, f, s, set, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	drafts := set.Select(func(q answers.Question) bool { return q.Draft })
	if n := len(drafts.Questions); n > 0 {
		a.Warn("%s of %s: correct them by hand, and take \"draft\" out; the figures are of what they say now", cli.Count(n, "draft"), cli.Count(len(set.Questions), "question"))
	}
	if f.asJSON {
		printAnswersJSON(a, f, s, set, got)
	} else {
		printAnswers(a, s, set, got)
	}
	return nil
}

// read reads the questions that are to be asked, each with its corpus.
func (f *evalAnswersFlags) read(cmd *cobra.Command, corpus string, progress func(string, int, int)) (*answers.Dataset, error) {
	set, err := answers.Read(cmd.Context(), f.data, &answers.ReadOptions{Progress: progress})
	if err != nil {
		return nil, err
	}
	if len(set.Questions) == 0 {
		return nil, cli.Usagef("--data %s has no questions; agent questions drafts some", f.data)
	}
	if halves := set.Halves(); f.half != "" {
		if !slices.Contains(halves, f.half) {
			return nil, cli.Usagef("--half is %q%s; the questions of %s have: %s", f.half, cli.DidYouMean(f.half, halves), f.data, orNone(halves))
		}
		set = set.Half(f.half)
	}
	var named []string
	for i, q := range set.Questions {
		if q.Corpus == "" {
			set.Questions[i].Corpus = corpus
		}
		named = append(named, set.Questions[i].Corpus)
	}
	if cmd.Flags().Changed("corpus") {
		set = set.Select(func(q answers.Question) bool { return q.Corpus == corpus })
	}
	if len(set.Questions) == 0 {
		slices.Sort(named)
		return nil, cli.Usagef("--corpus is %q, and no question of %s is asked of it; they name: %s; leave --corpus out, or take \"corpus\" out of the file", corpus, f.data, orNone(slices.Compact(named)))
	}
	return set.Limit(f.limit), nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func measureAnswers(ctx context.Context, a *cli.App, f *evalAnswersFlags, s config.Settings, set *answers.Dataset, progress func(string, int, int)) (_ answers.Evaluation, err error) {
	x := open.PlainExchange(a, s)
	asker := &corpusAsker{App: a, settings: s, exchange: x, flags: f, engines: map[string]*ask.Asker{}}
	defer func() { err = cli.Also(err, errors.Join(asker.close(), x.Close())) }()
	for _, q := range set.Questions { // so that a corpus that is missing is told at once, and opening takes no time of a question
		if _, err := asker.engine(ctx, q.Corpus); err != nil {
			return answers.Evaluation{}, err
		}
	}
	return answers.Evaluate(ctx, set, asker, &answers.Options{Progress: progress})
}

// A corpusAsker asks the corpus that a question names; it opens each once.
type corpusAsker struct {
	*cli.App
	settings config.Settings
	exchange *open.Exchange
	flags    *evalAnswersFlags
	names    []string // of engines, in the order in which they were opened
	engines  map[string]*ask.Asker
}

func (c *corpusAsker) engine(ctx context.Context, corpus string) (*ask.Asker, error) {
	if e := c.engines[corpus]; e != nil {
		return e, nil
	}
	s := c.settings
	s.Corpus = corpus
	e, err := ask.New(ctx, c.App, s, config.Cassette{}, c.exchange)
	if err != nil {
		return nil, err
	}
	c.names, c.engines[corpus] = append(c.names, corpus), e
	return e, nil
}

func (c *corpusAsker) Ask(ctx context.Context, q answers.Question) (state.Answer, error) {
	e, err := c.engine(ctx, q.Corpus)
	if err != nil {
		return state.Answer{}, err
	}
	return e.Ask(ctx, ask.Question{Text: q.Question, Timeout: c.flags.settings.Timeout})
}

func (c *corpusAsker) Search(ctx context.Context, q answers.Question, k int) ([]state.Passage, error) {
	e, err := c.engine(ctx, q.Corpus)
	if err != nil {
		return nil, err
	}
	found, err := e.Corpus.Search(ctx, index.Query{Primary: q.Question, K: k})
	if err != nil {
		return nil, err
	}
	out := make([]state.Passage, len(found.Hits))
	for i, h := range found.Hits {
		out[i] = h.Passage
	}
	return out, nil
}

func (c *corpusAsker) close() error {
	var errs []error
	for _, name := range c.names {
		errs = append(errs, c.engines[name].Close())
	}
	return errors.Join(errs...)
}

// rowMetrics are the columns of the tables by corpus and type.
var rowMetrics = []string{"answered", "first", "answer", "source", "R@1", "R@5", "R@10", "refused"}

func printAnswers(a *cli.App, s config.Settings, set *answers.Dataset, got answers.Evaluation) {
	without := 0
	for _, q := range set.Questions {
		if !q.Answerable {
			without++
		}
	}
	fmt.Fprintf(a.Stdout, "answers, model %s: n %d, %d of them without an answer\n", s.ModelLabel(), len(set.Questions), without)
	printMetrics(a, got.Metrics)
	by := ""
	for _, row := range got.Rows {
		if row.By != by {
			by = row.By
			fmt.Fprintf(a.Stdout, "\n%-16s  %5s", by, "n")
			for _, name := range rowMetrics {
				fmt.Fprintf(a.Stdout, "  %8s", name)
			}
			fmt.Fprintln(a.Stdout)
		}
		fmt.Fprintf(a.Stdout, "%-16s  %5d", row.Name, row.N)
		for _, name := range rowMetrics {
			i := slices.IndexFunc(row.Metrics, func(m metrics.Metric) bool { return m.Name == name })
			if i < 0 {
				fmt.Fprintf(a.Stdout, "  %8s", "-")
				continue
			}
			fmt.Fprintf(a.Stdout, "  %8.4f", row.Metrics[i].Value)
		}
		fmt.Fprintln(a.Stdout)
	}
	fmt.Fprintf(a.Stdout, "\nseconds p50 %.3f, p95 %.3f\nintervals: %d bootstrap resamples, seed %d\n", got.P50.Seconds(), got.P95.Seconds(), got.Resample.Resamples, got.Resample.Seed)
}

type answersRow struct {
	By      string                      `json:"by"`
	Name    string                      `json:"name"`
	N       int                         `json:"n"`
	Metrics map[string]metrics.Interval `json:"metrics"`
}

type answersItem struct {
	ID         string       `json:"id"`
	Corpus     string       `json:"corpus"`
	Type       string       `json:"type,omitempty"`
	Answerable bool         `json:"answerable"`
	Status     state.Status `json:"status"`
	Confidence float64      `json:"confidence"`
	First      bool         `json:"first"`
	Answer     bool         `json:"answer"`
	Source     bool         `json:"source"`
	Rank       int          `json:"rank"` // of the first passage with gold; 0 for none of the first ten
	Chars      int          `json:"chars"`
}

func printAnswersJSON(a *cli.App, f *evalAnswersFlags, s config.Settings, set *answers.Dataset, got answers.Evaluation) {
	out := struct {
		Schema  int                         `json:"schema"`
		Task    string                      `json:"task"`
		Model   string                      `json:"model"`
		N       int                         `json:"n"`
		Half    string                      `json:"half,omitempty"`
		Data    string                      `json:"data_sha256"`
		Metrics map[string]metrics.Interval `json:"metrics"`
		Latency latency                     `json:"latency_ms"`
		Drawn   drawnItems                  `json:"resampling"`
		Rows    []answersRow                `json:"rows"`
		Items   []answersItem               `json:"items"`
	}{
		Schema: 1, Task: "answers", Model: s.ModelLabel(), N: len(set.Questions), Half: f.half, Data: set.Hash, Metrics: intervals(got.Metrics),
		Latency: latency{cli.Milliseconds(got.P50), cli.Milliseconds(got.P95)}, Drawn: drawnItems{got.Resample.Seed, got.Resample.Resamples},
	}
	for _, r := range got.Rows {
		out.Rows = append(out.Rows, answersRow{r.By, r.Name, r.N, intervals(r.Metrics)})
	}
	for _, o := range got.Outcomes {
		q := o.Question
		out.Items = append(out.Items, answersItem{q.ID, q.Corpus, q.Type, q.Answerable, o.Status, six(o.Confidence), o.First, o.Answer, o.Source, o.Rank, o.Chars})
	}
	a.PrintJSON(out)
}
