package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/rs/zerolog"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
)

// examine does what a start does, step by step, and prints the result of each step.
func (s *server) examine(ctx context.Context) error {
	failed := false
	step := func(what string, do func() (string, error)) {
		said, err := do()
		if err != nil {
			failed = true
			fmt.Fprintf(s.Stdout, "✗ %s: %v\n", what, err)
			return
		}
		fmt.Fprintf(s.Stdout, "✓ %s: %s\n", what, said)
	}
	step("address", func() (string, error) {
		l, err := s.listen(ctx)
		if err != nil {
			return "", err
		}
		return s.addr, l.Close()
	})
	if s.byToken() {
		if _, err := os.Stat(s.tokens); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(s.Stdout, "– token: the first start makes it in %s\n", s.tokens)
			s.dry = true
		}
	}
	step("pipelines, store, tokens", func() (string, error) {
		_, err := s.prepare(ctx, zerolog.Nop())
		return fmt.Sprintf("%s, %s", cli.Count(len(open.Pipelines()), "pipeline"), cli.Count(len(s.tenants), "tenant")), err
	})
	if !failed {
		for _, t := range s.tenants {
			for _, name := range t.Corpora {
				step("corpus "+name+" for "+t.Name, func() (string, error) { return s.corpusOf(ctx, t, name) })
			}
		}
	}
	if err := s.close(); err != nil {
		return err
	}
	if failed {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// corpusOf opens a corpus of a tenant, and describes it.
func (s *server) corpusOf(ctx context.Context, t tenant, name string) (string, error) {
	d, err := s.desks.take(ctx, place{tenant: t.owner(), corpus: name})
	if err != nil {
		return "", err
	}
	info := d.Corpus.Info()
	return fmt.Sprintf("%s, %s", cli.Count(info.Files, "file"), cli.Count(info.Passages, "passage")), d.release()
}
