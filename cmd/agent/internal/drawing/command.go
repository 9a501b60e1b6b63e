// Package drawing is agent graph: it lists the pipelines and draws one of them.
//
//	agent graph research --format svg > research.svg
//
// It runs no pipeline.
package drawing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/graph/layout"
	"example.com/assay/memory/text"
)

// graphFormats are the ways to draw a pipeline.
var graphFormats = map[string]func(graph.Drawing) string{
	"dot": graph.Drawing.DOT, "mermaid": graph.Drawing.Mermaid, "text": graph.Drawing.Text,
	"svg": func(d graph.Drawing) string { return layout.Of(d, nil).SVG() },
}

func formatNames() []string { return []string{"mermaid", "dot", "svg", "text"} }

// A pipeline is a pipeline that can be drawn.
type pipeline struct {
	Name        string `json:"name"`
	Does        string `json:"does"`
	Fingerprint string `json:"fingerprint"`
	drawing     graph.Drawing
}

// pipelines lists every pipeline.
func pipelines(ctx context.Context, a *cli.App) ([]pipeline, error) {
	var all []pipeline
	for _, p := range open.Pipelines() {
		d, err := open.NewBare(a, config.Default(false), true)
		if err != nil {
			return nil, err
		}
		made, err := p.On(ctx, d, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, pipeline{p.Name, Does(p), made.App.Fingerprint(), made.App.Drawing()})
	}
	return all, nil
}

// Does says what a pipeline does, with its command.
func Does(p open.Pipeline) string { return p.Does + " (agent " + p.Command() + ")" }

// Command is agent graph.
func Command(a *cli.App) *cobra.Command {
	var format string
	var expand, asJSON bool
	cmd := &cobra.Command{
		Use:   "graph [PIPELINE]",
		Short: "Draw a pipeline as Mermaid, DOT, SVG or text",
		Long:  "Graph draws a pipeline's nodes and edges. Without a name it lists the pipelines.",
		Example: `  agent graph
  agent graph research
  agent graph research --format svg > research.svg`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("agent graph draws one pipeline; it got %d names", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := pipelines(cmd.Context(), a)
			if err != nil {
				return err
			}
			draw := graphFormats[format]
			if draw == nil {
				return cli.Usagef("--format is %q%s; known: %s", format, text.DidYouMean(format, formatNames()), strings.Join(formatNames(), ", "))
			}
			if len(args) == 0 {
				listPipelines(a, all, asJSON)
				return nil
			}
			at := slices.IndexFunc(all, func(p pipeline) bool { return p.Name == args[0] })
			if at < 0 {
				var names []string
				for _, p := range all {
					names = append(names, p.Name)
				}
				return cli.Usagef("there is no pipeline %q%s; known: %s", args[0], text.DidYouMean(args[0], names), strings.Join(names, ", "))
			}
			drawing := all[at].drawing
			if expand {
				drawing = drawing.Expanded()
			}
			printDrawing(a, all[at], format, draw(drawing), asJSON)
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "mermaid", "`FORMAT` of the drawing: mermaid, dot, svg or text")
	cli.Choices(cmd.Flags(), "format", formatNames()...)
	cmd.Flags().BoolVar(&expand, "expand", true, "show the insides of subgraphs; --expand=false shows each as one node")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func listPipelines(a *cli.App, all []pipeline, asJSON bool) {
	if asJSON {
		a.PrintJSON(struct {
			Schema    int        `json:"schema"`
			Pipelines []pipeline `json:"pipelines"`
		}{1, all})
		return
	}
	for _, p := range all {
		fmt.Fprintf(a.Stdout, "%s  %s\n", p.Name, p.Does)
	}
}

func printDrawing(a *cli.App, p pipeline, format, drawing string, asJSON bool) {
	if asJSON {
		a.PrintJSON(struct {
			Schema int `json:"schema"`
			pipeline
			Format  string `json:"format"`
			Drawing string `json:"drawing"`
		}{1, p, format, drawing})
		return
	}
	fmt.Fprint(a.Stdout, drawing)
}
