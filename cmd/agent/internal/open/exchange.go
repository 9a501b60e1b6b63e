package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
	"example.com/assay/telemetry"
)

// An Exchange is what all desks of one verb share between them and their models: the
// limits, with the session's budget, the store and a cassette. A session keeps it when it
// opens another corpus.
type Exchange struct {
	*cli.App
	Controls *llm.Controls
	Store    *Store
	given    llm.Model          // answers instead of the models of the settings; nil for none
	File     string             // the cassette; empty for none
	recorder *cassette.Recorder // nil until the first models are open
	player   *cassette.Player   // nil unless the cassette answers
	played   bool               // the cassette was asked
	servers  servers
}

// NewExchange makes the exchange of a verb. A cassette that answers adds the label of its
// models to the settings. The caller closes the exchange.
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
		a.Warn("%v", err) // it was cut
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
		clear := ""
		if a.Stderr.Live {
			clear = "\r\x1b[K" // the live line
		}
		fmt.Fprint(a.Stderr, clear)
		a.Warn("retrying the model call in %v, after attempt %d: %v", e.Wait.Round(100*time.Millisecond), e.Attempt, e.Err)
	}
	x := &Exchange{App: a, Store: NewStore(s)}
	if x.Store.Shared() {
		limits.Rate.Buckets = x.Store
	}
	x.Controls = llm.NewControls(&limits)
	return x
}

// Close ends a recording, warns of recorded calls that a replay did not use, and closes
// the store and the sessions with MCP servers.
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
	if x.recorder == nil { // only now, so that invalid settings leave no file
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

// connect makes the models that the settings name. The models of providers share one set
// of limits. A model that several skills use is made once, with one circuit.
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
