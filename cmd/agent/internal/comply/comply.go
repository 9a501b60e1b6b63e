package comply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/internal/plainfile"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

// complyFlags are the flags of agent comply.
type complyFlags struct {
	filter      evidence.Filter
	sourceType  string
	audit       string // file to write
	check       string // file to read
	questions   string
	out         string
	jobs        int
	trace       string
	modelReview bool
	asJSON      bool
}

// Command is agent comply.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var c complyFlags
	cmd := &cobra.Command{
		Use:   "comply QUESTION…",
		Short: "Answer a compliance question with verbatim requirements, for an auditor",
		Long: `Comply answers only with requirements that the corpus states word for word. It
extracts them from statutes and policies, verifies each, composes statements that end
with their ids, and reviews every statement against the quotes that it cites. Without
a verified requirement the answer says so, and the exit code is 3. A run that lost a
model call says what is missing: exit code 3 with an answer, 1 without one.

The metadata source_type (front matter, a column), or else the directory, says whether
a passage belongs to a statute or a policy. --topic, --section and --category filter
by metadata; --section also matches the heading.

--audit writes everything that is needed to check an answer. --check verifies such a
file against the documents, without any model: exit code 1 when something does not
hold.

--questions asks many questions: a CSV file with the column question and optionally
id, topic, section, category, source_type; or JSON Lines with these fields. --out
receives an audit file for each, summary.csv and summary.html. Questions that are
finished there are not asked again.`,
		Example: `  agent comply --corpus sample-county "How soon must a crisis call be answered?"
  agent comply --corpus sample-county --topic crisis --audit audit.json "Who may authorise a hold?"
  agent comply --check audit.json
  agent comply --corpus sample-county --questions questions.csv --out audits/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var text string
			a.Failed = func(err error) any { return failed(text, err) }
			err := c.mistakes(cmd, args)
			if err == nil && c.check == "" && c.questions == "" {
				text, err = a.Question(cmd.Context(), args, complyExample)
			}
			if err == nil {
				switch {
				case c.check != "":
					a.Failed = nil
					return checkAudit(a, c)
				case c.questions != "":
					return complyBatch(a, cmd, &flags, c)
				}
				return run(a, cmd, &flags, c, text)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.String("corpus", config.DefaultCorpus, "`CORPUS` to answer from; "+open.CountyCorpus+" is an embedded sample")
	f.StringVar(&c.filter.Topic, "topic", "", "read only passages of this `TOPIC`")
	f.StringVar(&c.filter.Section, "section", "", "read only passages of this `SECTION`: of the metadata, or a part of the heading")
	f.StringVar(&c.filter.Category, "category", "", "read only passages of this `CATEGORY`")
	f.StringVar(&c.sourceType, "source-type", "", "read only `KIND`: statute or policy")
	cli.Choices(f, "source-type", "statute", "policy")
	f.BoolVar(&c.filter.Explicit, "explicit", false, "take only norms in so many words: must, shall, required, prohibited")
	f.StringVar(&c.filter.AsOf, "as-of", "", "answer as of this `DATE` (2024-06-30, 2024-06 or 2024): leave out documents that hold from a later day, or until an earlier one")
	f.StringVar(&c.audit, "audit", "", "write the audit to `FILE` (JSON)")
	f.StringVar(&c.check, "check", "", "verify an audit `FILE` against its documents, without a model")
	f.StringVar(&c.questions, "questions", "", "ask the questions of a `FILE` (.csv or .jsonl)")
	f.StringVar(&c.out, "out", "", "`DIR` of the audits of --questions")
	f.IntVar(&c.jobs, "jobs", 2, "`NUMBER` of questions that are asked at the same time")
	f.BoolVar(&c.modelReview, "model-review", false, "have the model also review what passed the review by code")
	f.StringVar(&c.trace, "trace", "", "write the run's trace to `FILE` (JSON Lines)")
	f.BoolVar(&c.asJSON, "json", false, "print one JSON document")
	flags.RegisterModel(cmd)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterTemporal(f)
	return cmd
}

// mistakes refuses mistakes in the command line.
func (c *complyFlags) mistakes(cmd *cobra.Command, args []string) error {
	set := func(name string) bool { return cmd.Flags().Changed(name) }
	c.filter.SourceType = evidence.SourceType(c.sourceType)
	for _, name := range []string{"audit", "check", "questions", "out", "trace", "topic", "section", "category", "source-type"} {
		if value := cmd.Flags().Lookup(name).Value.String(); set(name) && value == "" {
			return cli.Usagef("--%s is empty: give it a value or leave it out", name)
		}
	}
	if err := cli.Day(cmd, "as-of"); err != nil {
		return err
	}
	switch {
	case c.sourceType != "" && c.filter.SourceType != evidence.Statute && c.filter.SourceType != evidence.Policy:
		return cli.Usagef("--source-type is %q%s; known: statute, policy", c.sourceType, text.DidYouMean(c.sourceType, []string{"statute", "policy"}))
	case c.check != "" && (len(args) > 0 || c.questions != "" || c.audit != ""):
		return cli.Usagef("--check verifies a file; it cannot be combined with a question, --questions or --audit")
	case c.questions != "" && len(args) > 0:
		return cli.Usagef("a question cannot be combined with --questions: put it into the file")
	case c.questions != "" && c.out == "":
		return cli.Usagef("--out is missing: name a directory for the audits of --questions")
	case c.questions == "" && (c.out != "" || set("jobs")):
		return cli.Usagef("--out and --jobs are for --questions")
	case c.questions != "" && (c.audit != "" || c.trace != ""):
		return cli.Usagef("--audit and --trace are for one question; --questions writes audits to --out")
	case c.jobs < 1 || c.jobs > 64:
		return cli.Usagef("--jobs is %d: it must be from 1 to 64", c.jobs)
	}
	return nil
}

// A complier answers compliance questions with one set of settings.
type complier struct {
	*open.Desk
	made        pipeline.Instance
	modelReview bool
}

func openComplier(ctx context.Context, a *cli.App, s config.Settings, files config.Cassette, modelReview bool) (*complier, error) {
	d, err := open.New(ctx, a, s, files, open.Want{Skills: evidence.Skills(), Corpus: open.ComplyCorpus, Workers: true})
	if err != nil {
		return nil, err
	}
	p, err := d.Comply(modelReview)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &complier{d, p.Instance(), modelReview}, nil
}

func run(a *cli.App, cmd *cobra.Command, flags *config.Flags, f complyFlags, text string) (err error) {
	ctx := cmd.Context()
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	c, err := openComplier(ctx, a, s, files, f.modelReview)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, c.Close()) }()
	ctx, cancel := cli.Within(ctx, flags.Timeout)
	defer cancel()
	shown := render.NewProgress(a, f.asJSON)
	audit, runErr := c.ask(ctx, evidence.Input{Question: text, Filter: f.filter}, f.trace, func(ev graph.Event[json.RawMessage]) { render.Observe(shown, ev) })
	shown.Close()
	if f.asJSON {
		a.PrintJSON(audit)
	} else {
		render.Proof(a, audit.Proof(), true)
	}
	render.Warnings(a, audit.Answer)
	if f.audit != "" && runErr == nil {
		if err := writeAudit(f.audit, audit); err != nil {
			return err
		}
	}
	return cli.Told(audit.End, runErr)
}

// ask runs the pipeline on one question. The audit is also complete when the run returns
// an error.
func (c *complier) ask(ctx context.Context, in evidence.Input, traceFile string, watch func(graph.Event[json.RawMessage])) (evidence.Audit, error) {
	input, err := open.Encoded(in.Update())
	if err != nil {
		return failed(in.Question, err), err
	}
	answer, err := c.Answer(ctx, open.Run{
		Pipeline: open.MustPipeline("comply"), Made: c.made, Input: input, Title: in.Question, Observe: watch,
		Settings: map[string]string{config.TracedReview: strconv.FormatBool(c.modelReview)}, File: traceFile,
	})
	if answer == nil {
		return failed(in.Question, err), err
	}
	audit := *answer.(*evidence.Audit)
	audit.Question, audit.Filter, audit.ModelReview = in.Question, in.Filter, c.modelReview
	return audit, err
}

// failed is the audit of a run that did not begin.
func failed(question string, err error) evidence.Audit {
	audit := evidence.Result(evidence.State{Question: question}, err, nil)
	audit.End = cli.EndOf(err)
	return audit
}

// writeAudit writes an audit file atomically.
func writeAudit(path string, audit evidence.Audit) error {
	data, err := cli.Indented(audit)
	if err != nil {
		return fmt.Errorf("writing the audit: %w", err)
	}
	if err := cli.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("writing the audit: %w", err)
	}
	return nil
}

// readAudit reads what writeAudit wrote, or the output of --json.
func readAudit(path string) (evidence.Audit, error) {
	var audit evidence.Audit
	data, err := plainfile.Read(path, 0)
	if err != nil {
		return audit, cli.Usagef("reading the audit: %w", err)
	}
	if err := json.Unmarshal(data, &audit); err != nil {
		return audit, cli.Usagef("reading the audit %s: %w", path, err)
	}
	if audit.Pipeline != "comply" || audit.Schema != state.AnswerSchema {
		return audit, cli.Usagef("%s is not an audit of agent comply (schema %d): its schema is %d and its pipeline %q", path, state.AnswerSchema, audit.Schema, audit.Pipeline)
	}
	return audit, nil
}

// checkAudit verifies an audit file.
func checkAudit(a *cli.App, f complyFlags) error {
	audit, err := readAudit(f.check)
	if err != nil {
		return err
	}
	got := evidence.Check(audit)
	if f.asJSON {
		a.PrintJSON(struct {
			Schema int    `json:"schema"`
			Audit  string `json:"audit"`
			Holds  bool   `json:"holds"`
			evidence.Checked
		}{1, f.check, len(got.Problems) == 0, got})
	} else {
		for _, d := range audit.Documents {
			fmt.Fprintf(a.Stdout, "read %s\n", render.Line(d.Path))
		}
		for _, p := range got.Problems {
			fmt.Fprintf(a.Stdout, "✗ %s\n", strings.TrimSpace(render.OneLine(p)))
		}
		fmt.Fprintf(a.Stdout, "%s, %s, %s checked: ", cli.Count(got.Documents, "document"), cli.Count(got.Quotes, "quote"), cli.Count(got.Statements, "statement"))
		if len(got.Problems) == 0 {
			fmt.Fprintln(a.Stdout, "everything holds")
		} else {
			fmt.Fprintln(a.Stdout, cli.Count(len(got.Problems), "problem"))
		}
	}
	if len(got.Problems) > 0 {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

const complyExample = `comply "How soon must a crisis call be answered?"`
