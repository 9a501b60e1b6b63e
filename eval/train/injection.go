package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	orders "example.com/assay/decide/injection"
	"example.com/assay/eval/injection"
)

// trainInjection trains the weights of the detector of prompt injection.
func trainInjection(ctx context.Context, data string) (*learned, error) {
	set, err := injection.Read(ctx, filepath.Join(data, "bipia_injection"), nil)
	if err != nil {
		return nil, err
	}
	written, _ := injection.Written()
	w, err := injection.Fit(set.Contexts, slices.Concat(set.Attacks, written))
	if err != nil {
		return nil, err
	}
	w.Trained = []orders.Data{{Name: "bipia", Items: len(set.Attacks), SHA256: set.Hash}}
	cross, err := injection.Cross(ctx, set, nil)
	if err != nil {
		return nil, err
	}
	weights, err := encoded(w, "\t")
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Weights of the finder of prompt injection\n\nMade by `go run ./eval/train injection --data DIR`; run again on the same data it writes the same bytes.\n\n"+
		"- bipia: %d attacks in %d contexts, sha256 %s\n- attacks and ordinary documents, written for the project: %d, %d\n- features: %d; weights.json %d bytes\n\n"+
		"Cross-validation: every category of attacks is judged by weights that saw neither it nor the\ncontexts that it stands in. Unseen_kinds are attacks of the project that no weights\nwere trained on. Value and 95 %% bootstrap interval over attacks or texts.\n",
		len(set.Attacks), len(set.Contexts), set.Hash, len(written), len(injection.Ordinary()), len(orders.FeatureNames()), len(weights))
	table(&page, fmt.Sprintf("n %d", len(set.Attacks)), cross.Metrics)
	return weighed(weights, page.Bytes()), nil
}
