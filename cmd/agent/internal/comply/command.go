// Package comply is agent comply: compliance questions that are answered with verbatim
// requirements, one by one or from a file, and the check of earlier audits.
//
//	agent comply --corpus sample-county "How soon must a crisis call be answered?"
//
// It decides nothing about an answer: package nodes/evidence does.
package comply

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/evidence"
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
			switch {
			case err != nil:
				return err
			case c.check != "":
				a.Failed = nil
				return checkAudit(a, c)
			case c.questions != "":
				return complyBatch(a, cmd, &flags, c)
			}
			if text, err = a.Question(cmd.Context(), args, complyExample); err != nil {
				return err
			}
			return run(a, cmd, &flags, c, text)
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

const complyExample = `comply "How soon must a crisis call be answered?"`
