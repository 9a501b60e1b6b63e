package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/general"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
)

// slashPipelines are the pipelines that a line of a session can ask: those that need
// nothing beside a short message, and whose name is no other command.
func slashPipelines() []open.Pipeline {
	return slices.DeleteFunc(open.Pipelines(), func(p open.Pipeline) bool {
		taken := slices.ContainsFunc(slashCommands, func(c slashCommand) bool { return c.name == p.Name })
		chosen := slices.ContainsFunc(p.Settings, func(f pipeline.Field) bool { return f.Needed })
		return p.Name == open.Usual || p.Message.File || taken || chosen
	})
}

// allCommands are the commands of a session, those of pipelines behind the others.
func allCommands() []slashCommand {
	all := slices.Clone(slashCommands)
	for _, p := range slashPipelines() {
		all = append(all, slashCommand{p.Name, strings.ToUpper(p.Message.Name), p.Does})
	}
	return all
}

// pipelineSlash asks a pipeline once, on the session's corpus.
func (s *session) pipelineSlash(ctx context.Context, p open.Pipeline, text string) error {
	if strings.TrimSpace(text) == "" {
		return cli.Usagef("/%s needs %s: %s", p.Name, strings.ToUpper(p.Message.Name), p.Message.Help)
	}
	line := render.NewProgress(s.App, false)
	answer, err := general.Answer(ctx, s.engine.Desk, p, conversation.Turn{Text: text}, nil, s.tracing, func(ev graph.Event[json.RawMessage]) { render.Observe(line, ev) })
	line.Close()
	if answer == nil || err != nil {
		return err
	}
	if err := general.Print(s.App, p, answer); err != nil {
		return err
	}
	fmt.Fprintln(s.Stdout)
	render.Warnings(s.App, *answer.Common())
	return nil
}
