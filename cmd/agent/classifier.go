package main

import (
	"cmp"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
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
		p.fail(cli.Usagef("%s: %s is %q: it must be %s, or an address that begins with http:// or https://", from, c.key, text, none))
	}
	c.url = text
}

func (c *classifier) setLabels(p *parser, from origin, text string) {
	labels, err := classify.ParseLabels(c.task, text)
	if err != nil {
		p.fail(cli.Usagef("%s: %w", from, err))
	}
	c.labels = labels.String()
}

// modelName is the name of a model as its server has it, such as "org/model".
func (p *parser) modelName(from origin, v string) string {
	if strings.TrimSpace(v) == "" || strings.ContainsAny(v, " ,\t\r\n") {
		p.fail(cli.Usagef("%s is %q: it must be the name of a model, without spaces and commas", from, v))
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
				p.fail(cli.Usagef("%s: %w", from, err))
			}
			s.verification.judge.calibration = calibration.String()
		},
		show: func(s *settings) string { return s.verification.judge.calibration },
	}}
}
