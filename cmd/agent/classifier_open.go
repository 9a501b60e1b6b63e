package main

import (
	"context"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
)

// classifierClient connects to a classifier, whose requests wrap bounds. It makes
// no call.
func classifierClient(a *cli.App, c classifier, wrap func(llm.Model) llm.Model) (*classify.Client, error) {
	opts := classify.Options{URL: c.url, Model: c.model, Key: a.Env.Get(c.variable()), Caller: llm.NewCaller(c.key, wrap)}
	var err error
	if c.labels != "" {
		opts.Labels, err = classify.ParseLabels(c.task, c.labels)
	}
	var client *classify.Client
	if err == nil {
		client, err = classify.NewClient(c.task, &opts)
	}
	if err != nil {
		return nil, cli.Usagef("%s: %w; agent doctor checks it", c.key, err)
	}
	return client, nil
}

// judge returns the model of a server that judges claims, and its client.
func (x *exchange) judge(c classifier) (*classify.Judge, *classify.Client, error) {
	client, err := classifierClient(x.App, c, x.controls.WrapUnpriced)
	if err != nil {
		return nil, nil, err
	}
	calibration, err := c.calibrated()
	if err != nil {
		return nil, nil, err
	}
	return classify.NewJudge(client, calibration), client, nil
}

// calibrated is the calibration that the settings name; nil for none.
func (c classifier) calibrated() (*classify.Calibration, error) {
	if c.calibration == "" {
		return nil, nil
	}
	calibration, err := classify.ParseCalibration(c.calibration)
	if err != nil {
		return nil, cli.Usagef("%s: %w", keyJudgeCalibration, err)
	}
	return calibration, nil
}

// judgeAlone returns the server that judges claims without anything that stands in
// for it, and what tells how the server calls its model.
func (x *exchange) judgeAlone(s settings) (llm.Model, func(context.Context) string, error) {
	if x.player != nil {
		x.played = true
		return x.player, func(context.Context) string { return s.verification.judge.label() }, nil
	}
	judge, client, err := x.judge(s.verification.judge)
	if err != nil {
		return nil, nil, err
	}
	m, err := x.taped(s, newConnector(x.Env, s), judge)
	return m, client.Served, err
}

// judgedBy routes the claims to the server that the settings name. The model that
// would judge them else stands in for it.
func (x *exchange) judgedBy(s settings, second llm.Model) (llm.Model, error) {
	judge, _, err := x.judge(s.verification.judge)
	if err != nil {
		return nil, err
	}
	return llm.StandIn(second)(judge), nil
}
