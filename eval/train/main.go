package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// A trainer is a part that is learned: one sub-command.
type trainer struct {
	name, about string
	run         func(ctx context.Context, args []string, out io.Writer) error
}

// trainers lists them in the order in which they are shown.
func trainers() []trainer {
	return []trainer{
		{"extract", "the rankers of fields, decide/fields", trainExtract},
		{"verify", "the judge of claims, decide/claim/support", verify},
		{"causal", "the reader of causal language, decide/causal", trainCausal},
		{"injection", "the finder of orders in documents, decide/injection", trainInjection},
		{"obligations", "the model of obligations, decide/obligation", obligations},
		{"wordnet", "the relations of words, memory/text/wordnet", wordnet},
		{"rerank", "a ranker of one judged corpus, which does not ship", trainRerank},
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
	for _, t := range trainers() {
		if len(args) > 0 && args[0] == t.name {
			return t.run(ctx, args[1:], out)
		}
		known = append(known, fmt.Sprintf("  %-11s %s", t.name, t.about))
	}
	return fmt.Errorf("say what to train: go run ./eval/train PART --data DIR\n%s", strings.Join(known, "\n"))
}
