package main

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
)

func trainCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "train",
		Short: "Train on judged data of your own",
		Example: `  agent train rerank --corpus handbook --queries questions.jsonl --qrels judged.tsv
  agent help train rerank`,
	}, trainRerankCommand(a))
}
