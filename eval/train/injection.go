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
	"slices"

	orders "example.com/assay/decide/injection"
	"example.com/assay/eval/injection"
)

// trainInjection trains the weights of orders in documents.
func trainInjection(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("injection", flag.ContinueOnError)
	flags.SetOutput(out)
	data := flags.String("data", os.Getenv("ASSAY_DATA"), "`folder` that holds bipia_injection; by default that of ASSAY_DATA")
	to := flags.String("out", filepath.Join("decide", "injection"), "`folder` to write weights.json and weights.md to; empty only prints the scores")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *data == "" || flags.NArg() > 0 {
		return errors.New("want --data DIR and nothing else: the folder that holds bipia_injection")
	}
	set, err := injection.Read(ctx, filepath.Join(*data, "bipia_injection"), nil)
	if err != nil {
		return err
	}
	written, _ := injection.Written()
	w, err := injection.Fit(set.Contexts, slices.Concat(set.Attacks, written))
	if err != nil {
		return err
	}
	w.Trained = []orders.Data{{Name: "bipia", Items: len(set.Attacks), SHA256: set.Hash}}
	cross, err := injection.Cross(ctx, set, nil)
	if err != nil {
		return err
	}
	weights, err := json.MarshalIndent(w, "", "\t")
	if err != nil {
		return fmt.Errorf("encoding the weights: %w", err)
	}
	weights = append(weights, '\n')
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Weights of the finder of prompt injection\n\nMade by `go run ./eval/train injection --data DIR`; run again on the same data it writes the same bytes.\n\n"+
		"- bipia: %d attacks in %d contexts, sha256 %s\n- attacks and ordinary documents, written for the project: %d, %d\n- features: %d; weights.json %d bytes\n\n"+
		"Cross-validation: every category of attacks is judged by weights that saw neither it nor the\ncontexts that it stands in. Unseen_kinds are attacks of the project that no weights\nwere trained on. Value and 95 %% bootstrap interval over attacks or texts.\n\n| n %d | value | 95 %% |\n|---|---|---|\n",
		len(set.Attacks), len(set.Contexts), set.Hash, len(written), len(injection.Ordinary()), len(orders.FeatureNames()), len(weights), len(set.Attacks))
	for _, m := range cross.Metrics {
		fmt.Fprintf(&page, "| %s | %.3f | %.3f – %.3f |\n", m.Name, m.Value, m.Lo, m.Hi)
	}
	return writeTrained(out, *to, weights, page.Bytes())
}
