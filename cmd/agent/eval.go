package main

import "github.com/spf13/cobra"

func (a *app) evalCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "eval",
		Short: "Measure on judged data of your own or of others",
		Example: `  agent eval retrieval --format scifact --corpus corpus.jsonl.gz --queries claims.jsonl
  agent eval claims --format wice --data claims.jsonl.gz
  agent help eval retrieval`,
	}, a.evalRetrievalCommand(), a.evalClaimsCommand())
}
