package general

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
)

func run(a *cli.App, cmd *cobra.Command, flags *config.Flags, p open.Pipeline, text, traceFile string, asJSON bool) (err error) {
	if err := cli.Named(cmd, "trace"); err != nil {
		return err
	}
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	conf, input := map[string]string{}, map[string]json.RawMessage{}
	for _, f := range p.Settings {
		conf[f.Name] = cmd.Flag(flagOf(f)).Value.String()
	}
	for _, f := range p.Inputs {
		if flag := cmd.Flag(flagOf(f)); flag.Changed {
			input[f.Name] = valueOf(f, flag.Value.String())
		}
	}
	want := open.Want{Skills: p.Skills, Spans: true}
	if p.Corpus != pipeline.Never {
		want.Corpus = p.Opener()
	}
	d, err := open.New(cmd.Context(), a, s, files, want)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, d.Close()) }()
	ctx, cancel := cli.Within(cmd.Context(), flags.Timeout)
	defer cancel()
	turn := conversation.Turn{Text: text}
	if turn.Input, err = json.Marshal(input); err != nil {
		return err
	}
	line := render.NewProgress(a, asJSON)
	answer, runErr := Answer(ctx, d, p, turn, conf, traceFile, func(ev graph.Event[json.RawMessage]) { render.Observe(line, ev) })
	line.Close()
	if answer == nil {
		return runErr
	}
	if asJSON {
		a.PrintJSON(answer)
	} else if err := Print(a, p, answer); err != nil {
		return err
	}
	render.Warnings(a, *answer.Common())
	if d.Corpus != nil && d.IsSample() {
		a.Warn(open.SampleNote)
	}
	return cli.Told(answer.Common().End, runErr)
}

// valueOf is the value of a flag as JSON: a string for a field that takes text, else the value
// itself if it is JSON.
func valueOf(f pipeline.Field, text string) json.RawMessage {
	data, _ := json.Marshal(text) // a string can be encoded
	if f.Schema != "" && json.Valid([]byte(text)) && !strings.Contains(f.Schema, `"string"`) {
		data = []byte(text)
	}
	return data
}

// Answer runs a pipeline on one turn. It returns no answer for a run that did not begin.
func Answer(ctx context.Context, d *open.Desk, p open.Pipeline, turn conversation.Turn, conf map[string]string, traceFile string, watch func(graph.Event[json.RawMessage])) (pipeline.Answer, error) {
	made, err := p.On(ctx, d, conf)
	if err == nil {
		err = made.Check(turn)
	}
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	in, err := made.Input(turn)
	if err != nil {
		return nil, err
	}
	return d.Answer(ctx, open.Run{Pipeline: p, Made: made, Input: in, Title: p.Name + ": " + turn.Text, Settings: conf, File: traceFile, Observe: watch})
}

// Print prints an answer for people.
func Print(a *cli.App, p open.Pipeline, answer pipeline.Answer) error {
	data, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	shown, err := p.Proof(data)
	if err != nil {
		return err
	}
	shown.Warnings = nil // render.Warnings writes them to standard error
	render.Proof(a, shown, true)
	return nil
}
