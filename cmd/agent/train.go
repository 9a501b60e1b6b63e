package main

import "github.com/spf13/cobra"

func (a *app) trainCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "train",
		Short: "Train on judged data of your own",
		Example: `  agent train rerank --corpus handbook --queries questions.jsonl --qrels judged.tsv
  agent help train rerank`,
	}, a.trainRerankCommand())
}
