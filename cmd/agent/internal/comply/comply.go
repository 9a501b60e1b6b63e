package comply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/internal/plainfile"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

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

// ask runs the pipeline on one question. The audit is complete even when ask returns an error.
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
	if err == nil {
		err = cli.WriteFile(path, data, 0o644)
	}
	if err != nil {
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

// checkAudit verifies an audit file against its documents, without a model.
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
			fmt.Fprintf(a.Stdout, "✗ %s\n", render.OneLine(p))
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
