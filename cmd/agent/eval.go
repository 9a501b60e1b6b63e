package main

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
)

func evalCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "eval",
		Short: "Measure on judged data, and run cases",
		Example: `  agent eval retrieval --format scifact --corpus corpus.jsonl.gz --queries claims.jsonl
  agent eval claims --format wice --data claims.jsonl.gz
  agent eval causal --format pairs --data pairs.jsonl
  agent eval extract --format sroie --schema receipt.json --data receipts.jsonl
  agent eval mcq --data barexam_qa
  agent eval answers --corpus handbook --data questions.jsonl
  agent eval injection --data bipia_injection
  agent eval cases case_studies
  agent eval all data
  agent help eval retrieval`,
	}, evalRetrievalCommand(a), evalClaimsCommand(a), evalCausalCommand(a), evalObligationsCommand(a), evalComplyCommand(a), evalExtractCommand(a),
		evalMCQCommand(a), evalAnswersCommand(a), evalInjectionCommand(a), evalCasesCommand(a), evalAllCommand(a))
}
