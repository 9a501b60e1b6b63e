package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/decide/injection"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/mcp"
)

// probeTimeout bounds the doctor's question to a model.
const probeTimeout = 20 * time.Second

// checkModels sends one short question to every configured model of a provider. Without
// such a model it uses no network.
func checkModels(ctx context.Context, a *cli.App, s config.Settings) []finding {
	var out []finding
	connector := open.NewConnector(a.Env, s)
	for _, name := range config.RemoteModels(a, s) {
		r, err := connector.Connect(ctx, name)
		if err == nil {
			err = s.Unpriced(name)
		}
		if err == nil {
			err = probe(ctx, r.Model)
		}
		if err != nil {
			out = append(out, modelFailed(a, name, s, err))
			continue
		}
		key := "key accepted"
		if p, _, _ := config.ProviderOf(name); !connector.SendsKey(p) {
			key = "no key needed"
			if p.Name == gemini.Provider {
				key = "credentials accepted, project " + s.Vertex.Project
			}
		}
		how := r.Capability()
		if how == "" {
			how = "none found: it does not answer in JSON"
		}
		out = append(out, finding{"model", statusOK, fmt.Sprintf("%s: %s, server reached, structured answers by %s", name, key, how), ""})
	}
	if err := open.CheckSearchTool(a, s); err != nil {
		out = append(out, finding{"model", statusFail, err.Error(), "agent ask --search-tool=false …"})
	}
	if out == nil {
		out = []finding{{"model", statusOK, s.LabelOfModels() + ": no key, no network", ""}}
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

// modelFailed says what is wrong with a model and what to type, by the error's type.
func modelFailed(a *cli.App, name string, s config.Settings, err error) finding {
	p, model, _ := config.ProviderOf(name)
	f := finding{"model", statusFail, fmt.Sprintf("%s: %v", name, err), "agent ask --model " + offline.Name + " … works without it"}
	byCredentials := p.Name == gemini.Provider && s.Vertex.Project != ""
	if byCredentials {
		f.Do = "gcloud auth application-default login"
	}
	if missing, ok := errors.AsType[*config.MissingKeyError](err); ok {
		f.Do = fmt.Sprintf("export %s=…", missing.Variable)
		return f
	}
	if _, ok := errors.AsType[*llm.PriceError](err); ok {
		f.Do = fmt.Sprintf("add to the configuration, with its price: %s: {%q: {input: …, output: …}}", config.KeyPrices, name)
		return f
	}
	if errors.As(err, new(*llm.ConnectionError)) || errors.As(err, new(*llm.TimeoutError)) {
		f.Detail = fmt.Sprintf("%s: the server is not reachable: %v", name, err)
		f.Do = "check the network" + orVariable(a, p.URLVariable)
		if p.Name == config.ProviderOllama && a.Env.Get(p.URLVariable) == "" {
			f.Do = "ollama serve"
		}
		return f
	}
	if status, ok := errors.AsType[*llm.StatusError](err); ok {
		switch status.Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			f.Do = fmt.Sprintf("export %s=…, with a key that this server accepts", p.KeyVariable)
			if file := s.KeyFiles[p.KeyVariable]; file != "" && a.Env.Get(p.KeyVariable) == "" {
				f.Do = "write a key that this server accepts into " + file
			}
			if byCredentials {
				f.Do = "gcloud auth application-default login, with an account that may use Vertex in project " + s.Vertex.Project
			}
		case http.StatusNotFound:
			f.Do = "choose a model that the server has"
			if p.Name == config.ProviderOllama {
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

// checkClassifiers sends one short question to each classifier. Without a classifier it
// uses no network.
func checkClassifiers(ctx context.Context, a *cli.App, s config.Settings) []finding {
	var out []finding
	for _, c := range []config.Classifier{s.Verification.Judge, s.Lookup.Detector} {
		if c.URL != "" {
			out = append(out, checkClassifier(ctx, a, c))
		}
	}
	return out
}

// checked are the doctor's questions to classifiers.
var checked = map[classify.Task]classify.Input{
	classify.Support:   {Text: "Water boils at 100 degrees.", Claim: "Water boils."},
	classify.Injection: {Text: "Water boils at 100 degrees."},
}

func checkClassifier(ctx context.Context, a *cli.App, c config.Classifier) finding {
	check := "judge"
	if c.Task == classify.Injection {
		check = "detector"
	}
	client, err := open.Classifier(a, c, llm.Timeout(probeTimeout))
	if err == nil {
		var scores []classify.Score
		if scores, _, err = client.Score(ctx, []classify.Input{checked[c.Task]}); err == nil {
			return finding{check, statusOK, fmt.Sprintf("%s: server reached, %s answered with probability %.2f", c.Key, client.Served(ctx), scores[0].P), ""}
		}
	}
	f := finding{check, statusFail, fmt.Sprintf("%s: %v", c.Key, err), "start the server, or remove " + c.Key}
	if _, ok := errors.AsType[*classify.LabelError](err); ok {
		f.Do = fmt.Sprintf("say what its labels mean: %s_labels: LABEL_1=%s", c.Key, c.Task.Classes()[0])
	}
	if status, ok := errors.AsType[*llm.StatusError](err); ok {
		switch status.Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			f.Do = fmt.Sprintf("export %s=…, with a key that this server accepts", c.Variable())
		case http.StatusNotFound:
			f.Do = fmt.Sprintf("correct the end of %s, or name a model that the server has in %s_model", c.Key, c.Key)
		}
	}
	return f
}

// startTimeout bounds the start of an MCP server, whose command may download it first.
const startTimeout = 60 * time.Second

// checkServers starts every MCP server of the settings and lists its tools. It calls none.
func checkServers(ctx context.Context, a *cli.App, s config.Settings) []finding {
	var out []finding
	for _, name := range s.ServerNames() {
		out = append(out, checkServer(ctx, a, s.Servers[name])...)
	}
	return out
}

func checkServer(ctx context.Context, a *cli.App, s *config.Server) []finding {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	key := config.KeyServers + "." + s.Name
	server, err := open.Server(a.Env, s)
	if err != nil {
		return []finding{{"mcp", statusFail, err.Error(), "do what the message says, or remove " + key + " from the configuration"}}
	}
	session, err := mcp.Open(ctx, server, &mcp.Options{Inspect: injection.Orders})
	if err != nil {
		return []finding{{"mcp", statusFail, err.Error(), "do what the message says, or remove " + key + " from the configuration"}}
	}
	var allowed, others, withheld []string
	for _, d := range session.Definitions() {
		what := d.Name
		if slices.Contains(s.Ask, d.Name) {
			what += " (asks first)"
		}
		allowed = append(allowed, what)
		if len(d.Withheld) > 0 {
			withheld = append(withheld, d.Name)
		}
	}
	for _, d := range session.Offered() {
		if !slices.Contains(server.Tools, d.Name) {
			others = append(others, mcp.Printable(d.Name))
		}
	}
	if err := session.Close(); err != nil {
		return []finding{{"mcp", statusFail, err.Error(), "remove " + key + " from the configuration"}}
	}
	f := finding{"mcp", statusOK, fmt.Sprintf("%s: may be called: %s; not allowed: %s", s.Name, orNone(allowed), orNone(others)), ""}
	if len(allowed) == 0 && len(others) > 0 {
		f.Status, f.Do = statusWarn, fmt.Sprintf("name the tools that may be called in %s.tools, such as [%s]", key, others[0])
	}
	out := []finding{f}
	if len(withheld) > 0 {
		out = append(out, finding{"mcp", statusWarn, fmt.Sprintf("%s: the words of %s read as orders to an assistant, and are kept from models", s.Name, strings.Join(withheld, ", ")), fmt.Sprintf("look at what the server says of them, and remove them from %s.tools unless you trust it", key)})
	}
	return out
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
