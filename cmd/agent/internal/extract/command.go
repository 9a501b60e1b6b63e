// Package extract is agent extract: fields that are read from documents by a JSON Schema, one
// document or many.
//
//	agent extract --schema receipt.json scans/ --out results
//
// Package nodes/extract reads the fields; this package finds documents, keeps results and writes
// them.
package extract

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/nodes/extract"
)

// extractFlags are the flags of agent extract.
type extractFlags struct {
	schema     string
	iterations int
	review     bool
	html, out  string
	jobs       int
	trace      string
	asJSON     bool
}

// Command is agent extract.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var x extractFlags
	cmd := &cobra.Command{
		Use:   "extract --schema FILE FILE…",
		Short: "Read fields from documents by a JSON Schema",
		Long: `Extract reads the fields that a JSON Schema describes from documents: text, markdown,
HTML, Word, PDF, or OCR lines with boxes (.jsonl). Folders are read with their
subfolders. Each value comes with its place in the document. Rules check the values; a
document whose values fail is read again, and the best reading counts.

In addition to the standard's keywords a schema may have the formats currency, email,
phone, percent, company, address, period, jurisdiction and party; x-anchor: labels near
a value; x-check: arithmetic, such as "total == sum(items.amount) + tax";
x-normalise: upper, lower, title, alphanumeric, underscore, legal_form, month_first.

An OCR file has a record on each line. Either each record is a document:
{"id": …, "ocr_lines": [{"text": …, "box": [x1, y1, x2, y2]}]}; or all records are
lines of one document: {"text": …, "box": […]}.

With --out a stopped run can continue: a document that is in results.jsonl, with the
same bytes and the same schema, is not read again.

A value that is not in the document is reported and left out of the result. Exit code
3: there was such a value, calls were lost, or no document has any value. The output
says which.`,
		Example: `  agent extract --schema receipt.json receipt.pdf
  agent extract --schema contract.json contract.txt --json
  agent extract --schema receipt.json scans/ --out results
  agent extract --schema receipt.json scans.jsonl --html found.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("agent extract needs at least one file or folder; see agent help extract")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Failed = func(err error) any {
				failed := (&extract.Schema{}).Answer(extract.State{}, err)
				failed.End = cli.EndOf(err)
				return failed
			}
			return run(a, cmd, &flags, x, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&x.schema, "schema", "", "`FILE` of the JSON Schema")
	f.IntVar(&x.iterations, "max-iterations", 3, "read a document at most `NUMBER` times")
	f.BoolVar(&x.review, "llm-verification", false, "also ask the model for its opinion on the values")
	f.StringVar(&x.html, "html", "", "write a page that shows the documents with the values marked to `FILE`")
	f.StringVar(&x.out, "out", "", "write results.jsonl and fields.csv to the folder `DIR`, or continue there")
	f.IntVar(&x.jobs, "jobs", 0, "`NUMBER` of documents that are read at the same time; 0: as many as processors or, with a provider, as concurrent calls (model_limits.concurrency)")
	f.StringVar(&x.trace, "trace", "", "write the run's trace to `FILE` (JSON Lines); for one document")
	f.BoolVar(&x.asJSON, "json", false, "print one JSON document")
	flags.RegisterModel(cmd)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterTemporal(f)
	return cmd
}
