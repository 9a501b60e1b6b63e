package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/telemetry"
)

// An exchange is what all engines of one verb share on the way to their
// models: the limits, in which the session's budget is. A session that opens
// another corpus goes on with it.
type exchange struct {
	*app
	controls *llm.Controls
}

// newExchange makes the exchange of a verb.
func (a *app) newExchange(s settings) *exchange {
	limits := s.limits
	limits.Retry.OnRetry = func(e llm.RetryEvent) {
		clear := ""
		if a.stderr.tty {
			clear = "\r\x1b[K" // the live line
		}
		fmt.Fprintf(a.stderr, "%sagent: asking the model again in %v, after attempt %d: %v\n", clear, e.Wait.Round(100*time.Millisecond), e.Attempt, e.Err)
	}
	return &exchange{app: a, controls: llm.NewControls(&limits)}
}

// model makes the models that the settings name. Those of providers are
// under one set of limits. A model that several skills use is made once, and
// has one circuit.
func (x *exchange) model(ctx context.Context, s settings) (llm.Model, error) {
	c := newConnector(x.env, s)
	remotes := map[string]llm.Model{}
	single := func(name string) (llm.Model, error) {
		if local := x.models[name]; local != nil {
			return local(), nil
		}
		if m := remotes[name]; m != nil {
			return m, nil
		}
		r, err := c.connect(ctx, name)
		if err == nil {
			err = s.unpriced(name)
		}
		if err != nil {
			return nil, usagef("using model %q: %w; agent doctor checks it, --model %s needs none", name, err, offline.Name)
		}
		remotes[name] = x.controls.WrapNamed(name, r.model)
		return remotes[name], nil
	}
	open := func(name string) (llm.Model, error) {
		m, err := single(name)
		if err != nil {
			return nil, err
		}
		if x.models[name] == nil && s.fallback != "" && s.fallback != name {
			second, err := single(s.fallback)
			if err != nil {
				return nil, err
			}
			m = llm.Fallback(second)(m)
		}
		return telemetry.Watch(name, m), nil
	}
	other, err := open(s.model)
	if err != nil {
		return nil, err
	}
	bySkill := map[string]llm.Model{}
	chosen := s.modelsBySkill()
	for _, skill := range slices.Sorted(maps.Keys(chosen)) {
		if bySkill[skill], err = open(chosen[skill]); err != nil {
			return nil, err
		}
	}
	return llm.BySkill(bySkill, other), nil
}
