package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/eval"
	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
	"example.com/assay/telemetry"
)

// An Exchange holds what all desks of one verb share: the limits of models, with the session's
// budget, the store, a cassette and the sessions with MCP servers. A session keeps it when it opens
// another corpus.
type Exchange struct {
	*cli.App
	Controls *llm.Controls
	Store    *Store
	given    llm.Model          // answers instead of the models of the settings; nil for none
	File     string             // the cassette; empty for none
	recorder *cassette.Recorder // nil until the first models are open
	player   *cassette.Player   // nil unless the cassette answers
	played   bool               // the cassette answers for a model of this run
	servers  servers
}

// NewExchange makes the exchange of a verb. A cassette that answers calls sets the label of its
// models in the settings. The caller closes the exchange.
func NewExchange(a *cli.App, c config.Cassette, s *config.Settings) (*Exchange, error) {
	x := PlainExchange(a, *s)
	x.File = c.Record
	if c.Replay == "" {
		return x, nil
	}
	var err error
	x.File = c.Replay
	if x.player, err = cassette.Replay(c.Replay); x.player == nil {
		return nil, cli.Usagef("opening --replay: %w", err)
	}
	if err != nil {
		a.Warn("%v", err) // the cassette was cut off
	}
	if s.Origins[config.KeyModel].Kind == "flag" {
		s.Replayed = s.ModelLabel()
	} else {
		s.Replayed = cmp.Or(x.player.Model(), "of a cassette")
	}
	return x, nil
}

// PlainExchange makes an exchange without a cassette. The caller closes it.
func PlainExchange(a *cli.App, s config.Settings) *Exchange {
	limits := s.Limits
	limits.Retry.OnRetry = func(e llm.RetryEvent) {
		if a.Stderr.Live {
			fmt.Fprint(a.Stderr, "\r\x1b[K") // clears the live line
		}
		a.Warn("retrying the model call in %v, after attempt %d: %v", e.Wait.Round(100*time.Millisecond), e.Attempt, e.Err)
	}
	x := &Exchange{App: a, Store: NewStore(s)}
	if x.Store.Shared() {
		limits.Rate.Buckets = x.Store
	}
	x.Controls = llm.NewControls(&limits)
	return x
}

// Close ends a recording, warns about recorded calls that a replay did not use, and closes the store
// and the sessions with MCP servers.
func (x *Exchange) Close() error {
	if x == nil {
		return nil
	}
	x.Store.Close()
	err := x.closeServers()
	if x.recorder != nil {
		return errors.Join(err, x.recorder.Close())
	}
	if !x.played {
		return err
	}
	if left := x.player.Unused(); len(left) > 0 {
		x.Warn("%s of %s were not used, the first: %s; this is not the run that was recorded", cli.Count(len(left), "recording"), x.File, left[0])
	}
	return err
}

// Model returns the model of the settings: the cassette, or the models of providers and
// of this program.
func (x *Exchange) Model(ctx context.Context, s config.Settings) (llm.Model, error) {
	if x.given != nil {
		return x.given, nil
	}
	if x.player != nil {
		x.played = true
		return telemetry.Watch(s.ModelLabel(), x.player), nil
	}
	c := NewConnector(x.Env, s)
	m, err := x.connect(ctx, s, c)
	if err != nil {
		return nil, err
	}
	return x.taped(s, c, m)
}

// taped records a model's calls if a recording was asked for.
func (x *Exchange) taped(s config.Settings, c *Connector, m llm.Model) (_ llm.Model, err error) {
	if x.File == "" {
		return m, nil
	}
	if x.recorder == nil { // made only now, so that invalid settings leave no file
		if x.recorder, err = record(x.File, s, c); err != nil {
			return nil, err
		}
	}
	return x.recorder.Wrap(m), nil
}

// record makes a new cassette.
func record(file string, s config.Settings, c *Connector) (*cassette.Recorder, error) {
	recorder, err := cassette.Record(file, &cassette.RecordOptions{Model: s.ModelLabel(), Secrets: c.secrets()})
	if errors.Is(err, fs.ErrExist) {
		return nil, existsError(file)
	}
	if err != nil {
		return nil, cli.Usagef("opening --record: %w", err)
	}
	return recorder, nil
}

func existsError(file string) error {
	return cli.Usagef("%s already exists and is not overwritten: remove it, or name another file with --record", file)
}

// connect makes the models that the settings name. The models of providers share one set of limits.
// A model that several skills use is made once, with one circuit breaker.
func (x *Exchange) connect(ctx context.Context, s config.Settings, c *Connector) (llm.Model, error) {
	remotes := map[string]llm.Model{}
	single := func(name string) (llm.Model, error) {
		if local := x.Models[name]; local != nil {
			return local(), nil
		}
		if m := remotes[name]; m != nil {
			return m, nil
		}
		r, err := c.Connect(ctx, name)
		if err == nil {
			err = s.Unpriced(name)
		}
		if err != nil {
			return nil, cli.Usagef("using model %q: %w; agent doctor checks it, --model %s needs none", name, err, offline.Name)
		}
		remotes[name] = x.Controls.WrapNamed(name, r.Model)
		return remotes[name], nil
	}
	open := func(name string) (llm.Model, error) {
		m, err := single(name)
		if err != nil {
			return nil, err
		}
		if x.Models[name] == nil && s.Fallback != "" && s.Fallback != name {
			second, err := single(s.Fallback)
			if err != nil {
				return nil, err
			}
			m = llm.Fallback(second)(m)
		}
		return telemetry.Watch(name, m), nil
	}
	other, err := open(s.Model)
	if err != nil {
		return nil, err
	}
	bySkill := map[string]llm.Model{}
	chosen := s.ModelsBySkill()
	for _, skill := range slices.Sorted(maps.Keys(chosen)) {
		if bySkill[skill], err = open(chosen[skill]); err != nil {
			return nil, err
		}
	}
	if s.Verification.Judge.URL != "" {
		second, ok := bySkill[skills.JudgeClaim]
		if !ok {
			second = other
		}
		judge, _, err := x.judge(s.Verification.Judge)
		if err != nil {
			return nil, err
		}
		bySkill[skills.JudgeClaim] = telemetry.Watch(s.Verification.Judge.Label(), llm.StandIn(second)(judge))
	}
	if s.Lookup.Detector.URL != "" {
		client, err := Classifier(x.App, s.Lookup.Detector, x.Controls.WrapUnpriced)
		if err != nil {
			return nil, err
		}
		bySkill[classify.SkillOrders] = telemetry.Watch(s.Lookup.Detector.Label(), classify.NewDetector(client))
	}
	return llm.BySkill(bySkill, other), nil
}

// tapeName is the path of a case's cassette.
func tapeName(dir string, c eval.Case) string { return filepath.Join(dir, c.Name+".cassette") }

// Tapes is the model of several cases that run at the same time. Each case has its own cassette,
// which records or answers its calls. The context carries the case's model, so that a call of a
// shared reranker is recorded with the case that made it.
type Tapes struct {
	models  llm.Model       // the models of the settings; nil when cassettes answer
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

// Tapes connects the models of cases. With --replay it opens the cassettes instead, and sets the
// label of their models in the settings. It reports unusable settings before any call.
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
			a.Warn("%v", err) // the cassette was cut off
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
