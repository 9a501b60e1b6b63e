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
	"os/signal"
	"path/filepath"
	"strings"

	"example.com/assay/eval/metrics"
)

// A trainer trains one part of the offline model: one sub-command.
type trainer struct {
	name, about string
	// data are the collections in the folder of --data; empty: it reads no such folder.
	data string
	out  string // the folder that is written to, if no other is named
	// train registers additional flags, if any, and returns the function that trains.
	train func(*flag.FlagSet) learner
}

// A learner learns from the folder of the data.
type learner func(ctx context.Context, data string) (*learned, error)

// A learned is the result of a training: files, and the page among them with their evaluation.
type learned struct {
	page  string // its name
	files map[string][]byte
}

// weighed is weights with their page.
func weighed(weights, page []byte) *learned {
	return &learned{"weights.md", map[string][]byte{"weights.json": weights, "weights.md": page}}
}

// plain is a trainer without additional flags.
func plain(learn learner) func(*flag.FlagSet) learner {
	return func(*flag.FlagSet) learner { return learn }
}

// trainers lists them in the order in which they are shown.
func trainers() []trainer {
	return []trainer{
		{"extract", "the rankers of fields, decide/fields", "sroie", filepath.Join("decide", "fields"), trainExtract},
		{"verify", "the judge of claims, decide/claim/support", "wice and scifact", ".", plain(verify)},
		{"causal", "the reader of causal language, decide/causal", "pubmed_causal_language, causal_news_corpus and semeval2010t8_pairs", filepath.Join("decide", "causal"), plain(trainCausal)},
		{"injection", "the detector of prompt injection, decide/injection", "bipia_injection", filepath.Join("decide", "injection"), plain(trainInjection)},
		{"obligations", "the model of obligations, decide/obligation", "", filepath.Join("decide", "obligation"), plain(obligations)},
		{"wordnet", "the relations of words, memory/text/wordnet", "", filepath.Join("memory", "text", "wordnet"), wordnet},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "train:", err)
		stop()
		os.Exit(1)
	}
}

// run runs a sub-command.
func run(ctx context.Context, args []string, out io.Writer) error {
	var known []string
	for _, p := range trainers() {
		if len(args) > 0 && args[0] == p.name {
			return p.run(ctx, args[1:], out)
		}
		known = append(known, fmt.Sprintf("  %-11s %s", p.name, p.about))
	}
	return fmt.Errorf("say what to train: go run ./eval/train PART --data DIR\n%s", strings.Join(known, "\n"))
}

// run learns a part, prints its page, and writes its files.
func (p trainer) run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet(p.name, flag.ContinueOnError)
	flags.SetOutput(out)
	data := new(string)
	if p.data != "" {
		data = flags.String("data", os.Getenv("ASSAY_DATA"), "`folder` that holds "+p.data+"; by default that of ASSAY_DATA")
	}
	to := flags.String("out", p.out, "`folder` to write what is learned to; empty only prints what it is worth")
	learn := p.train(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case p.data != "" && (*data == "" || flags.NArg() > 0):
		return fmt.Errorf("want --data DIR and nothing else: the folder that holds %s", p.data)
	case flags.NArg() > 0:
		return fmt.Errorf("want flags and nothing else, not %q", flags.Arg(0))
	}
	got, err := learn(ctx, *data)
	if err != nil {
		return err
	}
	if _, err := out.Write(got.files[got.page]); err != nil {
		return fmt.Errorf("printing what was learned: %w", err)
	}
	if *to == "" {
		return nil
	}
	for _, name := range sortedKeys(got.files) {
		path := filepath.Join(*to, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, got.files[name], 0o644)
		}
		if err != nil {
			return fmt.Errorf("writing what was trained: %w", err)
		}
	}
	return nil
}

// encoded is weights as JSON, indented, with a line's end.
func encoded(weights any, indent string) ([]byte, error) {
	data, err := json.MarshalIndent(weights, "", indent)
	if err != nil {
		return nil, fmt.Errorf("encoding the weights: %w", err)
	}
	return append(data, '\n'), nil
}

// table adds metrics to a page, below a line that names their subject.
func table(page *bytes.Buffer, of string, list []metrics.Metric) {
	fmt.Fprintf(page, "\n| %s | value | 95 %% |\n|---|---|---|\n", of)
	for _, m := range list {
		fmt.Fprintf(page, "| %s | %.3f | %.3f – %.3f |\n", m.Name, m.Value, m.Lo, m.Hi)
	}
}
