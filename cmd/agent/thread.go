package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/llm"
	"example.com/assay/nodes/research"
)

// Metadata that a thread's checkpoints carry, for those that list and resume.
const (
	threadCorpus      = "corpus"
	threadFingerprint = "corpus_fingerprint"
	threadQuestion    = "question" // at most maxThreadQuestion bytes of it
	maxThreadQuestion = 200
)

// threadsFile holds all threads of a home.
func threadsFile(home string) string { return filepath.Join(home, "threads.db") }

// openThreads opens the file of threads, and makes it when it is missing.
func openThreads(ctx context.Context, home string) (*sqlite.Saver, error) {
	saver, err := sqlite.Open(ctx, threadsFile(home), nil)
	if err != nil {
		return nil, fmt.Errorf("opening the saved runs: %w (agent doctor says what to do)", err)
	}
	return saver, nil
}

// checkThread refuses names that would be hard to type again.
func checkThread(where, name string) error {
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return usagef("%s is %q: a thread's name has 1 to 100 bytes and no white space", where, name)
	}
	return nil
}

// A threadInfo is what is known of a thread without reading its state.
type threadInfo struct {
	Thread      string    `json:"thread"`
	Question    string    `json:"question,omitempty"`
	Corpus      string    `json:"corpus,omitempty"`
	Checkpoints int       `json:"checkpoints"`
	Updated     time.Time `json:"updated"`
	fingerprint string
}

// infoOf reads the newest checkpoint of a thread. A thread that does not exist
// is graph.ErrNoCheckpoint.
func infoOf(ctx context.Context, saver graph.Checkpointer, thread string) (threadInfo, error) {
	for c, err := range saver.List(ctx, graph.Query{Thread: thread, Limit: 1}) {
		if err != nil {
			return threadInfo{}, fmt.Errorf("reading thread %q: %w", thread, err)
		}
		m := c.Metadata
		return threadInfo{Thread: thread, Question: m[threadQuestion], Corpus: m[threadCorpus], Updated: c.Time, fingerprint: m[threadFingerprint]}, nil
	}
	return threadInfo{}, graph.ErrNoCheckpoint
}

// onThread puts a question on its thread: run options, and the conversation that the
// thread holds.
func (e *engine) onThread(ctx context.Context, q question, opts *research.AskOptions) error {
	if q.thread == "" {
		return nil
	}
	info, err := infoOf(ctx, e.threads, q.thread)
	switch {
	case err != nil && !errors.Is(err, graph.ErrNoCheckpoint):
		return err
	case q.resume && err != nil:
		return unknownThread(ctx, e.threads, q.thread)
	case !q.resume && err == nil:
		if err := e.converse(ctx, q.thread, info, opts); err != nil {
			return err
		}
	case q.resume && info.fingerprint != e.corpus.Fingerprint():
		e.warn("corpus %s has changed since thread %q began: what it read then is checked against what is there now", e.corpus.Name(), q.thread)
	}
	run := &opts.Run
	run.Thread = q.thread
	run.Metadata = map[string]string{threadCorpus: e.corpus.Name(), threadFingerprint: e.corpus.Fingerprint(), threadQuestion: llm.Cut(printable(q.text), maxThreadQuestion)}
	if q.resume {
		run.Metadata[threadQuestion] = info.Question
	}
	return nil
}

// converse makes the answered question of a thread, and those before it, the
// conversation of the next one.
func (e *engine) converse(ctx context.Context, thread string, info threadInfo, opts *research.AskOptions) error {
	last, err := e.pipeline.Graph().State(ctx, graph.Key{Thread: thread})
	if err != nil {
		return fmt.Errorf("reading thread %q: %w", thread, err)
	}
	if len(last.Next) > 0 {
		return usagef("thread %q has a question that is not answered yet (%s); go on with it: agent resume %s; or remove it: agent threads remove %s", thread, llm.Cut(info.Question, 60), thread, thread)
	}
	opts.Again, opts.Earlier = true, last.State.Earlier
	if e, ok := research.ExchangeOf(research.Result(last.State, nil, e.corpus)); ok {
		opts.Earlier = append(opts.Earlier, e)
	}
	return nil
}

// corpusOf is the corpus of a thread, "" for one that does not exist.
func corpusOf(ctx context.Context, home, thread string) (string, error) {
	if _, err := os.Stat(threadsFile(home)); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	saver, err := openThreads(ctx, home)
	if err != nil {
		return "", err
	}
	info, err := infoOf(ctx, saver, thread)
	if errors.Is(err, graph.ErrNoCheckpoint) {
		err = nil
	}
	return info.Corpus, errors.Join(err, saver.Close())
}

// printable is a text without what a checkpoint's metadata may not hold.
func printable(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "") }

func unknownThread(ctx context.Context, saver graph.Checkpointer, name string) error {
	var known []string
	for t, err := range saver.Threads(ctx) {
		if err != nil {
			return err
		}
		known = append(known, t.ID)
	}
	hint := "there are none; begin one with: agent ask --thread " + name + " QUESTION"
	if len(known) > 0 {
		hint = "agent threads list shows all"
	}
	return usagef("there is no thread %q%s; %s", name, didYouMean(name, known), hint)
}

// howToGoOn tells how a run that ended early goes on.
func (a *app) howToGoOn(thread string, err error) {
	if thread != "" && err != nil && !errors.As(err, new(usageError)) {
		a.warn("the run is saved; go on with: agent resume %s", thread)
	}
}

func (a *app) resumeCommand() *cobra.Command {
	var flags settingFlags
	var asJSON bool
	var traceFile string
	cmd := &cobra.Command{
		Use:   "resume THREAD",
		Short: "Go on with a question that was asked with --thread",
		Long: `Resume goes on where the run of a thread ended: stopped, failed, killed. What
was done is not done again. When the run has ended, its answer is printed.

The corpus is the thread's own; the model and the other settings are those of
this call.`,
		Example: `  agent ask --thread lease "Who pays when a tenant leaves early?"
  agent resume lease
  agent resume lease --model openai:gpt-5 --json`,
		Args: exactly(1, "the name of a thread"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := checkThread("the thread", args[0])
			if err == nil {
				err = a.resume(cmd, &flags, args[0], traceFile, asJSON)
			}
			if err != nil && asJSON && !a.printed {
				a.printJSON(failedAnswer("", err))
			}
			return err
		},
	}
	flags.register(cmd, false)
	flags.registerTimeout(cmd)
	flags.registerCassette(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().StringVar(&traceFile, "trace", "", "write the trace of this part of the run to `FILE` (JSON Lines)")
	return cmd
}

func (a *app) resume(cmd *cobra.Command, flags *settingFlags, thread, traceFile string, asJSON bool) (err error) {
	s, err := a.resolve(cmd, flags)
	if err != nil {
		return err
	}
	saver, err := openThreads(cmd.Context(), s.home)
	if err != nil {
		return err
	}
	info, err := infoOf(cmd.Context(), saver, thread)
	if errors.Is(err, graph.ErrNoCheckpoint) {
		err = unknownThread(cmd.Context(), saver, thread)
	}
	if err = errors.Join(err, saver.Close()); err != nil {
		return err
	}
	if info.Corpus != "" && !cmd.Flags().Changed("corpus") {
		s.corpus = info.Corpus
	}
	return a.answer(cmd, flags, s, question{text: info.Question, thread: thread, resume: true, trace: traceFile, timeout: flags.timeout}, asJSON)
}

func (a *app) threadsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "threads",
		Short: "List and remove saved runs",
		Example: `  agent threads list
  agent threads remove lease
  agent threads sweep --older-than 720h`,
	}, a.threadsListCommand(), a.threadsRemoveCommand(), a.threadsSweepCommand())
}

// onThreads runs a verb on the file of threads.
func (a *app) onThreads(cmd *cobra.Command, run func(*sqlite.Saver) error) (err error) {
	home, err := a.env.home()
	if err != nil {
		return err
	}
	saver, err := openThreads(cmd.Context(), home)
	if err != nil {
		return err
	}
	defer func() { err = also(err, saver.Close()) }()
	return run(saver)
}

func (a *app) threadsListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the threads, the one that changed last first",
		Example: "  agent threads list\n  agent threads list --json",
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onThreads(cmd, func(saver *sqlite.Saver) error {
				list := []threadInfo{}
				for t, err := range saver.Threads(cmd.Context()) {
					if err != nil {
						return fmt.Errorf("listing the threads: %w", err)
					}
					info, err := infoOf(cmd.Context(), saver, t.ID)
					if errors.Is(err, graph.ErrNoCheckpoint) {
						continue // removed meanwhile
					}
					if err != nil {
						return err
					}
					info.Checkpoints = t.Checkpoints
					list = append(list, info)
				}
				slices.SortStableFunc(list, func(x, y threadInfo) int { return y.Updated.Compare(x.Updated) })
				if asJSON {
					a.printJSON(struct {
						Schema  int          `json:"schema"`
						Threads []threadInfo `json:"threads"`
					}{1, list})
					return nil
				}
				if len(list) == 0 {
					fmt.Fprintln(a.stdout, `no threads; agent ask --thread NAME "…" begins one`)
				}
				for _, t := range list {
					fmt.Fprintf(a.stdout, "%s  %s  %s  %s\n", t.Thread, t.Updated.Format("2006-01-02 15:04"), t.Corpus, llm.Cut(t.Question, 80))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) threadsRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove THREAD",
		Short:   "Remove a thread with all that is saved of it",
		Example: "  agent threads remove lease",
		Args:    exactly(1, "the name of a thread"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onThreads(cmd, func(saver *sqlite.Saver) error {
				if _, err := infoOf(cmd.Context(), saver, args[0]); errors.Is(err, graph.ErrNoCheckpoint) {
					return unknownThread(cmd.Context(), saver, args[0])
				} else if err != nil {
					return err
				}
				return graph.DeleteThread(cmd.Context(), saver, args[0])
			})
		},
	}
}

func (a *app) threadsSweepCommand() *cobra.Command {
	var age time.Duration
	cmd := &cobra.Command{
		Use:     "sweep",
		Short:   "Remove threads that have not changed for a time",
		Example: "  agent threads sweep --older-than 720h",
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if age <= 0 {
				return usagef("--older-than is %v: say how long a thread must have rested, such as 720h", age)
			}
			return a.onThreads(cmd, func(saver *sqlite.Saver) error {
				n, err := graph.Sweep(cmd.Context(), saver, a.now().Add(-age))
				fmt.Fprintf(a.stdout, "removed %s\n", count(n, "thread"))
				return err
			})
		},
	}
	cmd.Flags().DurationVar(&age, "older-than", 0, "how long a thread must have rested, a `DURATION` such as 720h")
	return cmd
}
