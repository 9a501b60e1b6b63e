// Package chat is agent chat: a conversation with a model that calls tools over a person's own
// documents. Its answers are judged against the results of the tools.
//
// It answers in the model's words. agent ask answers with quotes.
package chat

import (
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

const example = `chat --model ollama:llama3.1 "What do our rules say about keys?"`

// Command is agent chat.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var list, schema, thread string
	cmd := &cobra.Command{
		Use:   "chat [QUESTION…]",
		Short: "Talk to an agent that looks things up in your documents",
		Long: `Chat is an agent whose tools are the pipelines (agent graph lists them) and a list of
to-dos and files. A model calls them as it needs them. Every statement of its answer is
judged against the results of the tools in this conversation, by the judge of agent
verify. Statements that the results do not support are marked.

The offline model reasons about nothing: a plan calls one pipeline for each message, by its
form, and its answer stands as that pipeline proved it. "check: TEXT" verifies, "comply:
QUESTION" finds requirements, "define TERM" looks into the glossary, lines CAUSE => EFFECT
are checked as causal edges, and everything else is a question.

Without a question, each line of the input is one, until its end.

Tools: pipelines are those above, corpus searches the corpus, verify checks a text against
it, and extract reads the fields of a schema (--schema) from a text. These only read. memory
keeps notes that a later conversation can recall; agent memory notes shows and removes them. Before
the model keeps or deletes one, it asks you. mcp has the tools of the MCP servers of the
configuration; those that it lists under ask are called after your yes.`,
		Example: `  agent chat
  agent chat --model openai:gpt-4.1-mini
  agent chat --model ollama:llama3.1 --corpus handbook "Who may enter the lab?"
  agent chat --model openai:gpt-4.1-mini --tools corpus,verify --thread review
  agent chat --model openai:gpt-4.1-mini --tools corpus,extract --schema invoice.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := chosen(list, schema)
			if err != nil {
				return err
			}
			return run(a, cmd, &flags, names, schema, thread, strings.Join(args, " "))
		},
	}
	flags.Register(cmd, false)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	cmd.Flags().StringVar(&list, "tools", toolCorpus+","+toolPipelines, "`LIST` of tools that the model may call: "+strings.Join(toolNames, ", "))
	cli.Choices(cmd.Flags(), "tools", toolNames...)
	cmd.Flags().StringVar(&schema, "schema", "", "JSON Schema `FILE` of the fields for the tool extract")
	cmd.Flags().StringVar(&thread, "thread", "", "keep the conversation as this `THREAD`, and go on with it")
	return cmd
}
