package traces

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph/trace"
	"example.com/assay/memory"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/run"
	"example.com/assay/serve/view"
)

func traceHTMLCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var out string
	cmd := &cobra.Command{
		Use:   "html RUN.jsonl",
		Short: "Write a run as one page that needs nothing else",
		Long: `Html writes a page about a run: the answer beside the documents that it quotes, the graph
with the path taken, each superstep, and when each node worked. The page is one file: it
needs no network, no script and no other file.

No model is called and no node runs: the answer and the states are rebuilt from the
trace. Documents are shown if the run's corpus is here and has not changed; else the
page shows the recorded passages, and says so. For an incomplete trace it shows what
there is, and exits with 1.`,
		Example: `  agent trace html run.jsonl > run.html
  agent trace html run.jsonl --out run.html`,
		Args: cli.Exactly(1, "a trace file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("out") && out == "" {
				return cli.Usagef("--out is empty: name a file")
			}
			records, readErr := readTrace(args[0])
			if len(records) == 0 {
				return readErr
			}
			page, err := tracePage(a, cmd, &flags, args[0], records)
			if err != nil {
				return errors.Join(readErr, err)
			}
			if out == "" {
				_, err = a.Stdout.Write(page)
			} else {
				err = cli.WriteFile(out, page, 0o644)
			}
			if err != nil {
				err = fmt.Errorf("writing the page: %w", err)
			}
			return errors.Join(readErr, err)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the page to `FILE` instead of standard output")
	cmd.Flags().StringVar(&flags.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	return cmd
}

// tracePage makes the page of a run.
func tracePage(a *cli.App, cmd *cobra.Command, flags *config.Flags, path string, records []trace.Record) (_ []byte, err error) {
	var conf map[string]string
	if h := records[0].Header; h != nil {
		conf = h.Config
	}
	if flags.Traced, err = config.TracedSettings(a, path, conf, false); err != nil {
		return nil, err
	}
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return nil, err
	}
	corpus, err := corpusOf(cmd.Context(), a, s, conf)
	if err != nil {
		return nil, err
	}
	var files pipeline.Library
	if corpus != nil {
		files = corpus
		defer func() { err = cli.Also(err, corpus.Close()) }()
	}
	again, err := rebuild(cmd.Context(), a, s, records, files)
	if err != nil {
		return nil, err
	}
	b := view.NewBuilder(&view.Options{State: func(step int) (json.RawMessage, bool) {
		state, ok := again.states[step]
		return state, ok
	}})
	for _, rec := range records {
		if err := b.Trace(rec); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	opts := &run.FileOptions{Version: cli.ThisBuild().Version}
	if again.answer != nil {
		of, err := open.PipelineOf(records[0].Graph)
		if err != nil {
			return nil, err
		}
		p, err := of.Proof(again.answer)
		if err != nil {
			return nil, err
		}
		opts.Heading = p.Question
		if opts.Answer, err = evidence.Section(cmd.Context(), p, open.Documents(corpus, again.held), nil); err != nil {
			return nil, err
		}
	}
	var page bytes.Buffer
	err = run.File(&page, &run.Run{View: b.View(), App: again.app, Why: again.why}, opts)
	return page.Bytes(), err
}

// corpusOf opens the corpus of a run, nil when it is not here or has changed.
func corpusOf(ctx context.Context, a *cli.App, s config.Settings, conf map[string]string) (*memory.Corpus, error) {
	if conf["corpus"] == "" {
		return nil, nil
	}
	corpus, err := open.Corpus(ctx, a, s, nil)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil // the page says that the corpus is not here
	}
	if corpus.Fingerprint() != conf[config.TracedFingerprint] {
		return nil, corpus.Close()
	}
	return corpus, nil
}
