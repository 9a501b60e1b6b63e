package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/offline"
)

// probeTimeout bounds the question that the doctor asks a model.
const probeTimeout = 20 * time.Second

// checkModels asks every configured model of a provider one small question.
// Without one it uses no network.
func checkModels(ctx context.Context, a *cli.App, s settings) []finding {
	var out []finding
	connector := newConnector(a.Env, s)
	for _, name := range remoteModels(a, s) {
		r, err := connector.connect(ctx, name)
		if err == nil {
			err = s.unpriced(name)
		}
		if err == nil {
			err = probe(ctx, r.model)
		}
		if err != nil {
			out = append(out, modelFailed(a, name, s, err))
			continue
		}
		key := "key accepted"
		if p, _, _ := providerOf(name); !connector.sendsKey(p) {
			key = "no key needed"
			if p.name == gemini.Provider {
				key = "credentials accepted, project " + s.vertex.project
			}
		}
		how := r.capability()
		if how == "" {
			how = "none found: it does not answer in JSON"
		}
		out = append(out, finding{"model", statusOK, fmt.Sprintf("%s: %s, server reached, structured answers by %s", name, key, how), ""})
	}
	if err := checkSearchTool(a, s); err != nil {
		out = append(out, finding{"model", statusFail, err.Error(), "agent ask --search-tool=false …"})
	}
	if out == nil {
		out = []finding{{"model", statusOK, s.labelOfModels() + ": no key, no network", ""}}
	}
	return out
}

func probe(ctx context.Context, m llm.Model) error {
	_, err := llm.Timeout(probeTimeout)(m).Generate(ctx, llm.Request{
		Skill:    "doctor",
		Schema:   json.RawMessage(`{"type":"object","additionalProperties":false,"required":["ok"],"properties":{"ok":{"type":"boolean"}}}`),
		Messages: []llm.Message{{Role: llm.User, Text: `Answer with the JSON object {"ok": true}.`}},
	})
	return err
}

// modelFailed says what is wrong and what to type, by the error's type.
func modelFailed(a *cli.App, name string, s settings, err error) finding {
	p, model, _ := providerOf(name)
	f := finding{"model", statusFail, fmt.Sprintf("%s: %v", name, err), "agent ask --model " + offline.Name + " … works without it"}
	byCredentials := p.name == gemini.Provider && s.vertex.project != ""
	if byCredentials {
		f.Do = "gcloud auth application-default login"
	}
	if missing, ok := errors.AsType[*missingKeyError](err); ok {
		f.Do = fmt.Sprintf("export %s=…", missing.variable)
		return f
	}
	if _, ok := errors.AsType[*llm.PriceError](err); ok {
		f.Do = fmt.Sprintf("add to the configuration, with its price: %s: {%q: {input: …, output: …}}", keyPrices, name)
		return f
	}
	_, unreachable := errors.AsType[*llm.ConnectionError](err)
	_, late := errors.AsType[*llm.TimeoutError](err)
	if unreachable || late {
		f.Detail = fmt.Sprintf("%s: the server is not reachable: %v", name, err)
		switch {
		case p.name == providerOllama && a.Env.Get(p.urlVariable) == "":
			f.Do = "ollama serve"
		default:
			f.Do = "check the network" + orVariable(a, p.urlVariable)
		}
		return f
	}
	if status, ok := errors.AsType[*llm.StatusError](err); ok {
		switch status.Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			f.Do = fmt.Sprintf("export %s=…, with a key that this server accepts", p.keyVariable)
			if file := s.keyFiles[p.keyVariable]; file != "" && a.Env.Get(p.keyVariable) == "" {
				f.Do = "write a key that this server accepts into " + file
			}
			if byCredentials {
				f.Do = "gcloud auth application-default login, as somebody whom project " + s.vertex.project + " lets use Vertex"
			}
		case http.StatusNotFound:
			f.Do = "choose a model that the server has"
			if p.name == providerOllama {
				f.Do = "ollama pull " + model
			}
		}
	}
	return f
}

func orVariable(a *cli.App, name string) string {
	if a.Env.Get(name) == "" {
		return ""
	}
	return ", or: unset " + name
}

// checkClassifiers asks each classifier one small question. Without one it uses no
// network.
func checkClassifiers(ctx context.Context, a *cli.App, s settings) []finding {
	var out []finding
	for _, c := range []classifier{s.verification.judge, s.lookup.detector} {
		if c.url != "" {
			out = append(out, checkClassifier(ctx, a, c))
		}
	}
	return out
}

// checked is what the doctor asks.
var checked = map[classify.Task]classify.Input{
	classify.Support:   {Text: "Water boils at 100 degrees.", Claim: "Water boils."},
	classify.Injection: {Text: "Water boils at 100 degrees."},
}

func checkClassifier(ctx context.Context, a *cli.App, c classifier) finding {
	check := "judge"
	if c.task == classify.Injection {
		check = "detector"
	}
	client, err := classifierClient(a, c, llm.Timeout(probeTimeout))
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
