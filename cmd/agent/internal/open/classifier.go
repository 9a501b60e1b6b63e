package open

import (
	"context"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
)

// Classifier connects to a classifier. Its requests go through wrap, which bounds them. It
// makes no call.
func Classifier(a *cli.App, c config.Classifier, wrap func(llm.Model) llm.Model) (*classify.Client, error) {
	client, err := classify.NewClient(c.Task, &classify.Options{
		URL: c.URL, Model: c.Model, Labels: c.Labels, Key: a.Env.Get(c.Variable()), Caller: llm.NewCaller(c.Key, wrap),
	})
	if err != nil {
		return nil, cli.Usagef("%s: %w; agent doctor checks it", c.Key, err)
	}
	return client, nil
}

// judge returns the model of a server that judges claims, and its client.
func (x *Exchange) judge(c config.Classifier) (*classify.Judge, *classify.Client, error) {
	client, err := Classifier(x.App, c, x.Controls.WrapUnpriced)
	if err != nil {
		return nil, nil, err
	}
	return classify.NewJudge(client, c.Calibration), client, nil
}

// JudgeAlone returns the server that judges claims, without a fallback, and a function for
// the name under which the server answered.
func (x *Exchange) JudgeAlone(s config.Settings) (llm.Model, func(context.Context) string, error) {
	if x.player != nil {
		x.played = true
		return x.player, func(context.Context) string { return s.Verification.Judge.Label() }, nil
	}
	judge, client, err := x.judge(s.Verification.Judge)
	if err != nil {
		return nil, nil, err
	}
	m, err := x.taped(s, NewConnector(x.Env, s), judge)
	return m, client.Served, err
}
