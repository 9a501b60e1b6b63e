package serve

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/serve/runs"
)

// MCPCommand is agent mcp.
func MCPCommand(a *cli.App, version string) *cobra.Command {
	var flags config.Flags
	p := &piped{server: &server{App: a, version: version, callers: callers{open: true}, atOnce: runs.DefaultAtOnce, tenants: []tenant{{Name: runs.DefaultTenant}}}}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the pipelines as tools to an assistant (MCP), which starts this command",
		Long: `Mcp speaks the Model Context Protocol on standard input and output. An assistant such
as Claude, VS Code, Cursor or Goose starts it, and calls the pipelines as tools: ask,
search_passages, verify, comply, extract, verify_edges. docs/mcp.md has the lines to
configure each of them. Over HTTP, agent serve has the same tools at /mcp.

The assistant names corpora, and never paths. With --root it may also name files below
one folder, to verify and to extract; with --allow-write it may ingest them.

Questions and answers are kept in the folder mcp of the home for a week, so that the
assistant can read answers and traces again.`,
		Example: `  agent mcp
  agent mcp --corpus handbook
  agent mcp --root ~/contracts --allow-write`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := config.Resolve(a, cmd, &flags)
			if err != nil {
				return err
			}
			p.settings, p.timeout = settings, flags.Timeout
			if p.write && p.root == "" {
				return cli.Usagef("--allow-write needs --root DIR: the folder whose files may be ingested")
			}
			return p.run(cmd.Context())
		},
	}
	flags.Register(cmd, true)
	flags.RegisterTimeout(cmd)
	f := cmd.Flags()
	f.StringVar(&p.root, "root", "", "let the assistant name files below `DIR`")
	f.BoolVar(&p.write, "allow-write", false, "let the assistant ingest files below --root into corpora")
	return cmd
}

// A piped is one run of agent mcp: a server for the client that started it.
type piped struct {
	*server
	root string
}
