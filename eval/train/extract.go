package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"example.com/assay/decide/fields"
	"example.com/assay/eval/extract"
	nodes "example.com/assay/nodes/extract"
)

// trainExtract trains the rankers of fields on receipts, whose licence lets
// trained weights be passed on.
func trainExtract(flags *flag.FlagSet) learner {
	schema := flags.String("schema", filepath.Join("case_studies", "schemas", "receipt.json"), "`file` of the schema that the cross-validation reads by")
	return func(ctx context.Context, data string) (*learned, error) {
		set, err := extract.Read(ctx, extract.FormatSROIE, filepath.Join(data, "sroie", "receipts.jsonl"), nil)
		if err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(*schema)
		if err != nil {
			return nil, fmt.Errorf("reading the schema: %w", err)
		}
		parsed, err := nodes.ParseSchema(raw)
		if err != nil {
			return nil, err
		}
		return fitFields(ctx, set, parsed)
	}
}

// fitFields learns the weights, and evaluates them.
func fitFields(ctx context.Context, set *extract.Dataset, schema *nodes.Schema) (*learned, error) {
	training, err := extract.Prepare(ctx, set)
	if err != nil {
		return nil, err
	}
	w := training.Fit(func(int) bool { return true })
	w.Trained = []fields.Data{set.Trained()}
	weights, err := encoded(w, "\t")
	if err != nil {
		return nil, err
	}
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
			return nil, err
		}
		table(&b, fmt.Sprintf("by %s, n %d", cross, len(got.Outcomes)), got.Metrics)
	}
	return weighed(weights, b.Bytes()), nil
}
