package comply

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"example.com/assay/decide/injection"
	"example.com/assay/eval/task"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/evidence"
	"example.com/assay/skills"
)

// Task is `agent eval comply`.
func Task() task.Task {
	return task.Task{
		Name: "comply", Args: "--format F --corpus FILE --data FILE", Short: "Measure compliance answers on judged questions",
		Long: `Comply indexes a collection in a temporary directory and runs the compliance pipeline
with the offline model on every question. It checks each audit against its documents,
and prints how often answers cite a passage that people judged as answering, with 95 %
bootstrap intervals. Files may be compressed with gzip.

  obliqa      {id, doc_id, text}, {id, question, qrels}, and, with --expert,
              {id, expert_relations: [{passage_uid, relation}]}

Quotes that are not verbatim, statements without an id and ids that are not verified
are counted. There must be none: exit code 1 says that there is one.`,
		Example: `  agent eval comply --format obliqa --corpus corpus.jsonl.gz --data questions.jsonl --limit 300`,
		New: func(o *task.Options) task.Measure {
			f := &options{}
			o.Format(&f.files.Format, "files", formats())
			o.Need(&f.corpus, "corpus", "`FILE` of the passages (JSON Lines)")
			o.Need(&f.files.Data, "data", "`FILE` of the questions (JSON Lines)")
			o.StringVar(&f.files.Expert, "expert", "", "`FILE` of the passages that experts found relevant (JSON Lines)")
			o.Limit(&f.limit, "ask", "question", "questions")
			o.Within(&f.jobs, "jobs", 2, 1, 64, "`NUMBER` of questions that are asked at the same time")
			return f.measure
		},
	}
}

type options struct {
	files  Files
	corpus string
	limit  int
	jobs   int
}

func (f *options) measure(ctx context.Context, progress task.Progress) (_ *task.Report, err error) {
	questions, err := Read(ctx, f.files, progress)
	if err != nil {
		return nil, err
	}
	questions = task.First(questions, f.limit)
	home, err := os.MkdirTemp("", "agent-eval-*")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the index: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	began := time.Now()
	if _, err := memory.Ingest(ctx, memory.IngestOptions{Home: home, Corpus: "eval", Paths: []string{f.corpus}, Progress: progress}); err != nil {
		return nil, err
	}
	ingest := time.Since(began)
	corpus, err := memory.Open(home, "eval")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	set, err := skills.Load(nil)
	if err != nil {
		return nil, err
	}
	p, err := evidence.New(evidence.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus, Inspect: injection.Orders}, nil)
	if err != nil {
		return nil, err
	}
	ask := func(ctx context.Context, question string) (evidence.Audit, error) {
		final, err := p.Run(ctx, evidence.Input{Question: question}, nil)
		return evidence.Result(final, err, corpus), err
	}
	got, err := Evaluate(ctx, questions, ask, f.jobs, progress)
	if err != nil {
		return nil, err
	}
	return f.report(got, ingest), nil
}

type itemRow struct {
	ID         string   `json:"id"`
	Gold       []string `json:"gold"`
	Pred       []string `json:"pred"` // records that the answer cites
	Result     string   `json:"result"`
	Grounding  string   `json:"grounding_confidence"`
	Verified   int      `json:"requirements_verified"`
	Statements int      `json:"statements"`
	Problems   []string `json:"problems,omitempty"`
}

func (f *options) report(got Evaluation, ingest time.Duration) *task.Report {
	r := task.NewReport("comply", len(got.Outcomes), got.Metrics)
	r.Broken = got.Problems > 0
	r.Put("format", f.files.Format)
	r.Put("n", r.N)
	r.Put("metrics", task.Intervals(got.Metrics))
	r.Put("quotes_not_verbatim", got.NotVerbatim)
	r.Put("statements_without_id", got.Uncited)
	r.Put("ids_not_verified", got.Unverified)
	r.Put("problems", got.Problems)
	r.Put("latency_ms", got.Latency())
	r.Put("elapsed_ms", task.Milliseconds(got.Elapsed))
	r.Put("ingest_ms", task.Milliseconds(ingest))
	r.Put("resampling", task.Resampling())
	items := make([]itemRow, len(got.Outcomes))
	for i, o := range got.Outcomes {
		items[i] = itemRow{
			ID: o.ID, Gold: o.Gold, Pred: append([]string{}, o.Cited...), Result: o.Audit.Result, Grounding: string(o.Audit.Grounding),
			Verified: len(o.Audit.Verified), Statements: len(o.Audit.Statements), Problems: o.Problems,
		}
	}
	r.Put("items", items)

	r.Linef("%s: n %d", f.files.Format, r.N)
	r.Table(18, got.Metrics)
	r.Linef("\nquotes that are not verbatim %d · statements without an id %d · ids that are not verified %d · other problems of the audits %d",
		got.NotVerbatim, got.Uncited, got.Unverified, got.Problems-got.NotVerbatim)
	r.Linef("latency p50 %.0f ms, p95 %.0f ms; all in %.1f s with %d at once; indexed in %.1f s",
		got.Latency().P50, got.Latency().P95, got.Elapsed.Seconds(), f.jobs, ingest.Seconds())
	r.Drawn("")
	return r
}
