package config

import (
	"cmp"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/classify"
)

const (
	modelJudge = "model" // claims are judged by the model of judge_claim
	noDetector = "none"

	EnvJudgeKey    = "JUDGE_API_KEY"
	EnvDetectorKey = "INJECTION_DETECTOR_API_KEY"

	KeyJudge            = "verification.judge"
	keyDetector         = "injection_detector"
	KeyJudgeCalibration = KeyJudge + "_calibration"
)

// A Classifier is a small model that a server at an address runs.
type Classifier struct {
	Task        classify.Task
	Key         string                // of its address in the configuration
	URL         string                // empty for none
	Model       string                // its name; empty when its server has only one
	Labels      classify.Labels       // what its labels mean; nil when their names say it
	Calibration *classify.Calibration // of a judge; nil for none
}

// Variable names the variable that holds its server's key.
func (c Classifier) Variable() string {
	if c.Task == classify.Injection {
		return EnvDetectorKey
	}
	return EnvJudgeKey
}

// Label names the classifier without its address; "" when there is none. A server whose
// model the settings do not name is labelled by the end of its address.
func (c Classifier) Label() string {
	if c.URL == "" {
		return ""
	}
	path := strings.TrimRight(c.URL, "/")
	return cmp.Or(c.Model, "a server of "+path[strings.LastIndex(path, "/"):])
}

// setURL takes an address, or the word none for no server.
func (c *Classifier) setURL(p *parser, from origin, text, none string) {
	c.URL = ""
	if text == none {
		return
	}
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		p.fail(cli.Usagef("%s: %s is %q: it must be %s, or an address that begins with http:// or https://", from, c.Key, text, none))
	}
	c.URL = text
}

func (c *Classifier) setLabels(p *parser, from origin, text string) {
	labels, err := classify.ParseLabels(c.Task, text)
	if err != nil {
		p.fail(cli.Usagef("%s: %w", from, err))
	}
	c.Labels = labels
}

// modelName checks a model's name on its server, such as "org/model".
func (p *parser) modelName(from origin, v string) string {
	if strings.TrimSpace(v) == "" || strings.ContainsAny(v, " ,\t\r\n") {
		p.fail(cli.Usagef("%s is %q: it must be the name of a model, without spaces and commas", from, v))
	}
	return v
}

// judgeTable lists the settings of the server that judges claims.
func judgeTable() []Setting {
	return []Setting{{
		key: KeyJudge, about: "What judges claims: model, or the address of a small model. The address ends in /predict (Text Embeddings Inference), /classify (vLLM, SGLang) or /v1 (MiniCheck on Ollama); the variable of its key is " + EnvJudgeKey + ". When it fails, the model judges.", example: "http://localhost:8080/predict",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.Judge.setURL(p, from, text, modelJudge)
		},
		show: func(s *Settings) string { return cmp.Or(s.Verification.Judge.URL, modelJudge) },
	}, {
		key: KeyJudge + "_model", about: "The server's model; /v1 needs it, a server with one model does not.", example: "bespoke-minicheck",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Verification.Judge.Model = p.modelName(from, text)
		},
		show: func(s *Settings) string { return s.Verification.Judge.Model },
	}, {
		key: KeyJudge + "_labels", about: "What the model's labels mean when their names do not say it: supported, contradicted or unsupported.", example: "LABEL_0=unsupported, LABEL_1=supported",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Verification.Judge.setLabels(p, from, text) },
		show: func(s *Settings) string { return s.Verification.Judge.Labels.String() },
	}, {
		key: KeyJudgeCalibration, about: "Calibrates its probabilities for your own data: slope and offset, which agent eval claims --judge configured prints.", example: "0.8 -0.3",
		set: func(p *parser, s *Settings, from origin, text string) {
			calibration, err := classify.ParseCalibration(text)
			if err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			}
			s.Verification.Judge.Calibration = calibration
		},
		show: func(s *Settings) string { return s.Verification.Judge.Calibration.String() },
	}}
}
