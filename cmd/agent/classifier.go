package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/llm/classify"
)

const (
	modelJudge = "model" // claims are judged by the model of judge_claim
	noDetector = "none"

	envJudgeKey    = "JUDGE_API_KEY"
	envDetectorKey = "INJECTION_DETECTOR_API_KEY"

	keyJudge            = "verification.judge"
	keyDetector         = "injection_detector"
	keyJudgeCalibration = keyJudge + "_calibration"
)

// A classifier is a small model behind an address.
type classifier struct {
	task        classify.Task
	key         string // that the configuration names it by
	url         string // empty for none
	model       string // its name; empty for the only one of its server
	labels      string // what they mean, checked; empty for what their names say
	calibration string // of a judge, checked; empty for none
}

// variable holds the key that its server is sent.
func (c classifier) variable() string {
	if c.task == classify.Injection {
		return envDetectorKey
	}
	return envJudgeKey
}

// label names it without its address; "" when there is none. Of a server of one
// model that has no name in the settings, it is the end of the address.
func (c classifier) label() string {
	if c.url == "" {
		return ""
	}
	path := strings.TrimRight(c.url, "/")
	return cmp.Or(c.model, "a server of "+path[strings.LastIndex(path, "/"):])
}

// setURL takes an address; none is what stands for no server.
func (c *classifier) setURL(p *parser, from origin, text, none string) {
	c.url = ""
	if text == none {
		return
	}
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		p.fail(usagef("%s: %s is %q: it must be %s, or an address that begins with http:// or https://", from, c.key, text, none))
	}
	c.url = text
}

func (c *classifier) setLabels(p *parser, from origin, text string) {
	labels, err := classify.ParseLabels(c.task, text)
	if err != nil {
		p.fail(usagef("%s: %w", from, err))
	}
	c.labels = labels.String()
}

// modelName is the name of a model as its server has it, such as "org/model".
func (p *parser) modelName(from origin, v string) string {
	if strings.TrimSpace(v) == "" || strings.ContainsAny(v, " ,\t\r\n") {
		p.fail(usagef("%s is %q: it must be the name of a model, without spaces and commas", from, v))
	}
	return v
}

// judgeTable lists the settings of the server that judges claims.
func judgeTable() []setting {
	return []setting{{
		key: keyJudge, about: "What judges claims: model, or the address of a small model that ends in /predict (Text Embeddings Inference), /classify (vLLM, SGLang) or /v1 (MiniCheck on Ollama), whose key is " + envJudgeKey + ". When it fails, the model judges.", example: "http://localhost:8080/predict",
		set: func(p *parser, s *settings, from origin, text string) {
			s.verification.judge.setURL(p, from, text, modelJudge)
		},
		show: func(s *settings) string { return cmp.Or(s.verification.judge.url, modelJudge) },
	}, {
		key: keyJudge + "_model", about: "The model that the server is asked for; /v1 needs it, a server of one model does not.", example: "bespoke-minicheck",
		set: func(p *parser, s *settings, from origin, text string) {
			s.verification.judge.model = p.modelName(from, text)
		},
		show: func(s *settings) string { return s.verification.judge.model },
	}, {
		key: keyJudge + "_labels", about: "What the model's labels mean where their names do not tell: supported, contradicted or unsupported.", example: "LABEL_0=unsupported, LABEL_1=supported",
		set:  func(p *parser, s *settings, from origin, text string) { s.verification.judge.setLabels(p, from, text) },
		show: func(s *settings) string { return s.verification.judge.labels },
	}, {
		key: keyJudgeCalibration, about: "What makes its probabilities honest on your own data: slope and offset, which agent eval claims --judge configured prints.", example: "0.8 -0.3",
		set: func(p *parser, s *settings, from origin, text string) {
			calibration, err := classify.ParseCalibration(text)
			if err != nil {
				p.fail(usagef("%s: %w", from, err))
			}
			s.verification.judge.calibration = calibration.String()
		},
		show: func(s *settings) string { return s.verification.judge.calibration },
	}}
}

// classifierClient connects to a classifier, whose requests wrap bounds. It makes
// no call.
func (a *app) classifierClient(c classifier, wrap func(llm.Model) llm.Model) (*classify.Client, error) {
	opts := classify.Options{URL: c.url, Model: c.model, Key: a.env.get(c.variable()), Caller: llm.NewCaller(c.key, wrap)}
	var err error
	if c.labels != "" {
		opts.Labels, err = classify.ParseLabels(c.task, c.labels)
	}
	var client *classify.Client
	if err == nil {
		client, err = classify.NewClient(c.task, &opts)
	}
	if err != nil {
		return nil, usagef("%s: %w; agent doctor checks it", c.key, err)
	}
	return client, nil
}

// judge returns the model of a server that judges claims, and its client.
func (x *exchange) judge(c classifier) (*classify.Judge, *classify.Client, error) {
	client, err := x.classifierClient(c, x.controls.WrapUnpriced)
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
		return nil, usagef("%s: %w", keyJudgeCalibration, err)
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
	m, err := x.taped(s, newConnector(x.env, s), judge)
	return m, client.Served, err
}

// checkClassifiers asks each classifier one small question. Without one it uses no
// network.
func (a *app) checkClassifiers(ctx context.Context, s settings) []finding {
	var out []finding
	for _, c := range []classifier{s.verification.judge, s.lookup.detector} {
		if c.url != "" {
			out = append(out, a.checkClassifier(ctx, c))
		}
	}
	return out
}

// checked is what the doctor asks.
var checked = map[classify.Task]classify.Input{
	classify.Support:   {Text: "Water boils at 100 degrees.", Claim: "Water boils."},
	classify.Injection: {Text: "Water boils at 100 degrees."},
}

func (a *app) checkClassifier(ctx context.Context, c classifier) finding {
	check := "judge"
	if c.task == classify.Injection {
		check = "detector"
	}
	client, err := a.classifierClient(c, llm.Timeout(probeTimeout))
	if err == nil {
		var scores []classify.Score
		if scores, _, err = client.Score(ctx, []classify.Input{checked[c.task]}); err == nil {
			return finding{check, statusOK, fmt.Sprintf("%s: server reached, %s answered with probability %.2f", c.key, client.Served(ctx), scores[0].P), ""}
		}
	}
	f := finding{check, statusFail, fmt.Sprintf("%s: %v", c.key, err), "start the server, or remove " + c.key}
	if _, ok := errors.AsType[*classify.LabelError](err); ok {
		f.Do = fmt.Sprintf("say what its labels mean: %s_labels: LABEL_1=%s", c.key, c.task.Classes()[0])
	}
	if status, ok := errors.AsType[*llm.StatusError](err); ok {
		switch status.Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			f.Do = fmt.Sprintf("export %s=…, with a key that this server accepts", c.variable())
		case http.StatusNotFound:
			f.Do = fmt.Sprintf("correct the end of %s, or name a model that the server has in %s_model", c.key, c.key)
		}
	}
	return f
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
