package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/eval"
	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
)

// tapeName is the file of a case's cassette.
func tapeName(dir string, c eval.Case) string { return filepath.Join(dir, c.Name+".cassette") }

// Tapes is the model of several cases that run at the same time. Each case's calls are
// recorded in, or answered from, a cassette of its own. The context carries the case, so
// that a call of a shared reranker is recorded with the case that made it.
type Tapes struct {
	models  llm.Model       // those of the settings; nil when cassettes answer
	dir     string          // of recordings; empty for none
	label   config.Settings // names the models in recordings
	keys    *Connector
	players map[string]*cassette.Player // by case
}

type tapeKey struct{}

// Generate calls the model of the context's case.
func (t *Tapes) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if m, ok := ctx.Value(tapeKey{}).(llm.Model); ok {
		return m.Generate(ctx, req)
	}
	return llm.Response{}, errors.New("a model was called outside of a case")
}

// Tapes connects the models of cases, or opens the cassettes that answer for them and adds
// the label of their models to the settings. It reports unusable settings before any call.
func (x *Exchange) Tapes(ctx context.Context, cmd *cobra.Command, f *config.Flags, s *config.Settings, cases []eval.Case) (*Tapes, error) {
	recording, replaying := cmd.Flags().Changed("record"), cmd.Flags().Changed("replay")
	switch {
	case recording && replaying:
		return nil, cli.Usagef("--record and --replay are both given; give one")
	case recording && f.Record == "":
		return nil, cli.Usagef("--record is empty: name a directory")
	case replaying && f.Replay == "":
		return nil, cli.Usagef("--replay is empty: name a directory that --record wrote")
	}
	t := &Tapes{dir: f.Record, keys: NewConnector(x.Env, *s)}
	x.given = t
	if replaying {
		return t, t.load(x.App, f.Replay, s, cases)
	}
	var err error
	if t.models, err = x.connect(ctx, *s, t.keys); err != nil {
		return nil, err
	}
	t.label = *s
	for _, c := range cases {
		if t.dir == "" {
			break
		}
		if _, err := os.Lstat(tapeName(t.dir, c)); !errors.Is(err, fs.ErrNotExist) {
			return nil, cmp.Or(err, existsError(tapeName(t.dir, c)))
		}
	}
	return t, nil
}

// load opens the cassettes of all cases.
func (t *Tapes) load(a *cli.App, dir string, s *config.Settings, cases []eval.Case) error {
	t.players = map[string]*cassette.Player{}
	var names []string
	for _, c := range cases {
		player, err := cassette.Replay(tapeName(dir, c))
		if player == nil {
			return cli.Usagef("opening --replay, case %q: %w; --record makes it", c.Name, err)
		}
		if err != nil {
			a.Warn("%v", err) // it was cut
		}
		t.players[c.Name] = player
		if name := cmp.Or(player.Model(), "of a cassette"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	s.Replayed = strings.Join(names, "; ")
	if s.Origins[config.KeyModel].Kind == "flag" {
		s.Replayed = ""
		s.Replayed = s.ModelLabel()
	}
	return nil
}

// Play runs a case with its model.
func (t *Tapes) Play(ctx context.Context, c eval.Case, run func(context.Context) (eval.Run, error)) (eval.Run, error) {
	with := func(m llm.Model) context.Context { return context.WithValue(ctx, tapeKey{}, m) }
	if player := t.players[c.Name]; player != nil {
		out, err := run(with(player))
		if left := player.Unused(); len(left) > 0 {
			out.Faults = append(out.Faults, fmt.Sprintf("recorded calls that were not used: %d, the first %s; this is not the run that was recorded", len(left), left[0]))
		}
		return out, err
	}
	if t.dir == "" {
		return run(with(t.models))
	}
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return eval.Run{}, fmt.Errorf("opening --record: %w", err)
	}
	recorder, err := record(tapeName(t.dir, c), t.label, t.keys)
	if err != nil {
		return eval.Run{}, err
	}
	out, err := run(with(recorder.Wrap(t.models)))
	return out, errors.Join(err, recorder.Close())
}
