package ask

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
)

// ResumeCommand is agent resume.
func ResumeCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON bool
	var traceFile string
	cmd := &cobra.Command{
		Use:   "resume THREAD",
		Short: "Continue a question that was asked with --thread",
		Long: `Resume continues the run of a thread that was stopped, failed or was killed.
Finished steps are not repeated. If the run had finished, its answer is printed.

The corpus is the thread's own. The model and the other settings come from this
command line.`,
		Example: `  agent ask --thread lease "Who pays when a tenant leaves early?"
  agent resume lease
  agent resume lease --model openai:gpt-5 --json`,
		Args: cli.Exactly(1, "the name of a thread"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Failed = func(err error) any { return failedAnswer("", err) }
			if err := open.CheckThread("the thread", args[0]); err != nil {
				return err
			}
			return resume(a, cmd, &flags, args[0], traceFile, asJSON)
		},
	}
	flags.Register(cmd, false)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterTemporal(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().StringVar(&traceFile, "trace", "", "write the trace of this part of the run to `FILE` (JSON Lines)")
	return cmd
}

func resume(a *cli.App, cmd *cobra.Command, flags *config.Flags, thread, traceFile string, asJSON bool) (err error) {
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	saved := open.NewStore(s)
	defer saved.Close()
	saver, err := saved.Threads(cmd.Context())
	if err != nil {
		return err
	}
	info, err := open.InfoOf(cmd.Context(), saver, thread)
	if errors.Is(err, graph.ErrNoCheckpoint) && s.Temporal.Address != "" {
		info, err = waiting(cmd.Context(), a, s, saved, thread)
	}
	if errors.Is(err, graph.ErrNoCheckpoint) {
		err = open.UnknownThread(cmd.Context(), saver, thread)
	}
	if err = errors.Join(err, saver.Close()); err != nil {
		return err
	}
	if info.Corpus != "" && !cmd.Flags().Changed("corpus") {
		s.Corpus = info.Corpus
	}
	return answerOne(a, cmd, flags, s, Question{Text: info.Question, Thread: thread, Resume: true, Trace: traceFile, Timeout: flags.Timeout}, asJSON)
}

// waiting describes a thread whose run no worker has begun.
func waiting(ctx context.Context, a *cli.App, s config.Settings, saved *open.Store, thread string) (open.ThreadInfo, error) {
	w, err := open.NewWorkers(ctx, a, s, saved)
	if err != nil {
		return open.ThreadInfo{}, err
	}
	info, err := w.Info(ctx, thread)
	return info, cli.Also(err, w.Close())
}

// howToGoOn tells how to continue a run that ended early, if anything of it was saved.
func howToGoOn(ctx context.Context, a *cli.App, e *Asker, thread string, err error) {
	if thread == "" || err == nil || errors.As(err, new(cli.UsageError)) {
		return
	}
	if _, missing := open.InfoOf(context.WithoutCancel(ctx), e.Threads, thread); errors.Is(missing, graph.ErrNoCheckpoint) {
		return
	}
	a.Warn("the run is saved; continue with: agent resume %s", thread)
}
