package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/assay/decide/fields"
	"example.com/assay/eval/extract"
	nodes "example.com/assay/nodes/extract"
)

// trainExtract trains the rankers of fields on receipts, whose licence lets
// trained weights be passed on.
func trainExtract(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("extract", flag.ContinueOnError)
	flags.SetOutput(out)
	data := flags.String("data", os.Getenv("ASSAY_DATA"), "`folder` that holds sroie; by default that of ASSAY_DATA")
	schema := flags.String("schema", filepath.Join("case_studies", "schemas", "receipt.json"), "`file` of the schema that the cross-validation reads by")
	to := flags.String("out", filepath.Join("decide", "fields"), "`folder` to write weights.json and weights.md to; empty only prints the scores")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *data == "" || flags.NArg() > 0 {
		return errors.New("want --data DIR and nothing else: the folder that holds sroie")
	}
	set, err := extract.Read(ctx, extract.FormatSROIE, filepath.Join(*data, "sroie", "receipts.jsonl"), nil)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(*schema)
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	parsed, err := nodes.ParseSchema(raw)
	if err != nil {
		return err
	}
	weights, page, err := fitFields(ctx, set, parsed)
	if err != nil {
		return err
	}
	return writeTrained(out, *to, weights, page)
}

// fitFields returns the weights, and the page that says what they are worth.
func fitFields(ctx context.Context, set *extract.Dataset, schema *nodes.Schema) (weights, page []byte, err error) {
	training, err := extract.Prepare(ctx, set)
	if err != nil {
		return nil, nil, err
	}
	w := training.Fit(func(int) bool { return true })
	w.Trained = []fields.Data{set.Trained()}
	if weights, err = json.MarshalIndent(w, "", "\t"); err != nil {
		return nil, nil, fmt.Errorf("encoding the weights: %w", err)
	}
	weights = append(weights, '\n')
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Weights of the rankers of fields\n\nMade by `go run ./eval/train extract --data DIR`; run again on the same data it writes the same bytes.\n\n")
	fmt.Fprintf(&b, "- %s: %d documents, sha256 %s\n- weights.json: %d bytes\n", set.Format, len(set.Items), set.Hash, len(weights))
	for _, kind := range fields.Kinds() {
		fmt.Fprintf(&b, "- %s: %d weights\n", kind, len(w.Rankers[kind]))
	}
	fmt.Fprintf(&b, "\nCross-validation in 5 folds: every document is read by rankers that were fitted without its\nfold. By groups, documents of one company are in one fold. Value and 95 %% bootstrap interval.\n")
	for _, cross := range []string{extract.CrossDocuments, extract.CrossGroups} {
		got, err := extract.Evaluate(ctx, set, schema, &extract.Options{Cross: cross})
		if err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(&b, "\n| by %s, n %d | value | 95 %% |\n|---|---|---|\n", cross, len(got.Outcomes))
		for _, m := range got.Metrics {
			fmt.Fprintf(&b, "| %s | %.3f | %.3f – %.3f |\n", m.Name, m.Value, m.Lo, m.Hi)
		}
	}
	return weights, b.Bytes(), nil
}
