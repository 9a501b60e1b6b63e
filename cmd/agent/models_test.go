package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/skills"
	"example.com/assay/state"
)

const secret = "sk-test-0123456789abcdef"

// chatServer is a loopback server of OpenAI's API. It answers by the name of the response
// format, which is the skill's. Like many servers, it says which version of a model answered. If
// it may call the search tool, it does so once.
type chatServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // "model skill"
	keys  map[string]bool
}

func newChat(t *testing.T) *chatServer {
	t.Helper()
	answers := map[string]string{
		"doctor":                     `{"ok":true}`,
		skills.DetectPromptInjection: `{"verdict":"safe","category":"none","reason":"a question"}`,
		skills.ClassifyAndRoute:      `{"query_type":"simple","reason":"one rule"}`,
		skills.PlanSynthesis:         `{"steps":[{"step_id":1,"phase":"Rule","question":"` + clitest.PermitQuestion + `"}]}`,
		skills.QueryRewrite:          `{"primary":"elements of a valid lantern permit","alternatives":["lantern permit application fee","inspection of the lantern"]}`,
		"":                           "A valid lantern permit has three elements. [Source 1]",
	}
	c := &chatServer{keys: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string `json:"model"`
			Tools []struct {
				Function struct {
					Name string `json:"name"`
				} `json:"function"`
			} `json:"tools"`
			Messages []struct {
				Role string `json:"role"`
			} `json:"messages"`
			Format struct {
				Schema struct {
					Name string `json:"name"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		c.asked = append(c.asked, in.Model+" "+in.Format.Schema.Name)
		c.keys[r.Header.Get("Authorization")] = true
		c.mu.Unlock()
		if len(in.Tools) > 0 && in.Messages[len(in.Messages)-1].Role != "tool" {
			arguments, tool := `{"query":"When does a permit expire?"}`, in.Tools[0].Function.Name
			if in.Model == "last" { // this model prefers the last tool
				tool = in.Tools[len(in.Tools)-1].Function.Name
			}
			if tool == "remember" {
				arguments = `{"text":"Ann has a lantern."}`
			}
			fmt.Fprintf(w, `{"model":"%s-2026-01-02","choices":[{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":%q,"arguments":%q}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":50,"completion_tokens":5}}`, in.Model, tool, arguments)
			return
		}
		text, err := json.Marshal(answers[in.Format.Schema.Name])
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"model":"%s-2026-01-02","choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":50,"completion_tokens":5}}`, in.Model, text)
	}))
	t.Cleanup(c.Close)
	return c
}

func withEnv(a *cli.App, pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		a.Env[pairs[i]] = pairs[i+1]
	}
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAskWithModelsOfAProvider(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	conf := writeConfig(t, "models:\n  default: openai:fast\n  query_rewrite: openai:strong\n  detect_prompt_injection: offline\nmodel_limits:\n  concurrency: 2\n  timeout: 5\n  backoff_base: 1ms\n")
	a, stdout, stderr := clitest.App(home)
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	if code := execute(t.Context(), a, []string{"ask", "--json", "--config", conf, clitest.PermitQuestion}); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s%s", code, stderr, stdout)
	}
	var answer state.Answer
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if want := "openai:fast, offline for detect_prompt_injection, openai:strong for query_rewrite"; answer.Model != want {
		t.Errorf("model %q; want %q", answer.Model, want)
	}
	if got, want := strings.Join(server.asked, "; "), "fast classify_and_route; fast plan_synthesis; strong query_rewrite; fast "; got != want && got != strings.Replace(want, "fast plan_synthesis; ", "", 1) {
		t.Errorf("asked %q", got)
	}
	if answer.Metrics.InputTokens < 50*3 || !server.keys["Bearer "+secret] {
		t.Errorf("metrics %+v, keys %v", answer.Metrics, server.keys)
	}
	a, stdout, stderr = clitest.App(home)
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	m := answer.Metrics
	if code := execute(t.Context(), a, []string{"ask", "-v", "--config", conf, clitest.PermitQuestion}); code != cli.ExitDone ||
		!strings.Contains(stdout.String(), fmt.Sprintf(" · %d calls, %d tokens read and %d written\n", m.Calls, m.InputTokens, m.OutputTokens)) {
		t.Errorf("exit code %d: %s%s; want the usage %+v", code, stderr, stdout, m.ModelUsage)
	}
	// A flag sets the model of all skills.
	server.asked = nil
	a, stdout, stderr = clitest.App(home)
	if code := execute(t.Context(), a, []string{"ask", "--config", conf, "--model", "offline", clitest.PermitQuestion}); code != cli.ExitDone || server.asked != nil {
		t.Errorf("--model offline: exit code %d, asked %q: %s%s", code, server.asked, stderr, stdout)
	}
}

func TestBudgetEndsTheRun(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	a, stdout, stderr := clitest.App(home)
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	conf := writeConfig(t, "model: openai:m\nmodel_limits: {max_calls: 1}\n")
	code := execute(t.Context(), a, []string{"ask", "--config", conf, clitest.PermitQuestion})
	if code == cli.ExitDone || len(server.asked) != 1 || !strings.Contains(stderr.String()+stdout.String(), "max_calls") {
		t.Errorf("exit code %d after %q: %s%s", code, server.asked, stderr, stdout)
	}
}

// The budget belongs to one question, also in a session.
func TestBudgetIsPerQuestion(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	conf := writeConfig(t, "model: openai:m\nmodel_limits: {max_calls: 5}\n")
	a, stdout, stderr := clitest.App(home)
	a.Stdin = strings.NewReader(clitest.PermitQuestion + "\n" + clitest.PermitQuestion + "\n")
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	if code := execute(t.Context(), a, []string{"--no-memory", "--config", conf}); code != cli.ExitDone || len(server.asked) < 6 {
		t.Errorf("exit code %d after %d calls: %s%s", code, len(server.asked), stderr, stdout)
	}
}

// The output and files of a failing run never hold the key, not even when the server sends it
// back.
func TestKeyIsNeverWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	servers := map[string]http.HandlerFunc{
		"refuses":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized); echo(w) },
		"fails":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError); echo(w) },
		"no JSON":   func(w http.ResponseWriter, _ *http.Request) { echo(w) },
		"no answer": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"error":{"message":%q}}`, secret) },
		"in answers": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}],"candidates":[{"content":{"parts":[{"text":%q}]}}],"content":[{"type":"text","text":%q}]}`, secret, secret, secret)
		},
		"resets": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	ready := t.TempDir()
	clitest.Ingest(t, ready, clitest.Permits)
	for name, handler := range servers {
		server := httptest.NewServer(handler)
		defer server.Close()
		for _, model := range []string{"openai:m", "gemini:m", "anthropic:m", "ollama:m"} {
			t.Run(name+"/"+model, func(t *testing.T) {
				home := t.TempDir()
				if err := os.CopyFS(home, os.DirFS(ready)); err != nil {
					t.Fatal(err)
				}
				limits := "model_limits: {backoff_base: 1ms, backoff_jitter_max: 1ms, max_retries: 1}\n"
				conf := writeConfig(t, limits)
				file := filepath.Join(t.TempDir(), "key")
				if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
					t.Fatal(err)
				}
				fromFiles := writeConfig(t, limits+"key_files: {openai: "+file+", gemini: "+file+", anthropic: "+file+"}\n")
				collector := newReceiver(t)
				trace, cases := filepath.Join(home, "t.jsonl"), permitCase(t)
				for _, args := range [][]string{
					{"ask", "-v", "--memory", "--config", conf, "--model", model, "--trace", trace, clitest.PermitQuestion},
					{"ask", "--json", "--config", conf, "--model", model, "--record", filepath.Join(home, "1.cassette"), clitest.PermitQuestion},
					{"ask", "-v", "--config", fromFiles, "--model", model, "--record", filepath.Join(home, "2.cassette"), clitest.PermitQuestion},
					{"eval", "cases", cases, "--config", conf, "--model", model, "--record", filepath.Join(home, "tapes")},
					{"doctor", "--model", model},
					{"doctor", "--json", "--model", model},
					{"doctor", "--json", "--config", fromFiles, "--model", model},
				} {
					a, stdout, stderr := clitest.App(home)
					withEnv(a, config.EnvOpenAIURL, server.URL, config.EnvGeminiURL, server.URL, config.EnvAnthropicURL, server.URL, config.EnvOTLP, collector.URL, "ASSAY_TELEMETRY_CONTENT", "true")
					if !slices.Contains(args, fromFiles) {
						withEnv(a, config.EnvOpenAIKey, secret, config.EnvGeminiKey, secret, config.EnvAnthropicKey, secret)
					}
					code := execute(t.Context(), a, args)
					if name != "in answers" && code == cli.ExitDone {
						t.Errorf("%q succeeded: %s", args, stdout)
					}
					if name == "fails" && args[0] == "ask" && !strings.Contains(stderr.String(), "retrying the model call in ") {
						t.Errorf("%q waits in silence: %s", args, stderr)
					}
					if strings.Contains(stdout.String()+stderr.String(), secret) {
						t.Errorf("%q wrote the key:\n%s%s", args, stdout, stderr)
					}
				}
				if sent := collector.body.Bytes(); len(sent) == 0 || bytes.Contains(sent, []byte(secret)) {
					t.Errorf("the collector got %d bytes, with the key in them or none", len(sent))
				}
				files := 0
				err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					files++
					data, err := os.ReadFile(path)
					if bytes.Contains(data, []byte(secret)) {
						t.Errorf("%s holds the key", path)
					}
					return err
				})
				if err != nil || files < 5 {
					t.Errorf("%d files, %v", files, err)
				}
			})
		}
	}
}

func echo(w io.Writer) {
	fmt.Fprintf(w, `{"error":{"message":"your key is %s", and this is no JSON`, secret)
}

func TestDoctorOnModels(t *testing.T) {
	good := newChat(t)
	wrongKey := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer wrongKey.Close()
	noModel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }))
	defer noModel.Close()
	const gone = "http://127.0.0.1:1" // a port that no test gets: one that was free may be taken meanwhile
	// A server that does not know json_schema, like older servers.
	older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || bytes.Contains(body, []byte(`"json_schema"`)) {
			http.Error(w, `{"error":{"message":"response_format.type must be text or json_object","param":"response_format"}}`, http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"{\"ok\":true}"},"finish_reason":"stop"}]}`)
	}))
	defer older.Close()
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		model string
		env   []string
		want  []string
		fails bool
	}{
		"offline":             {"offline", nil, []string{"ok    model          offline: no key, no network"}, false},
		"no OpenAI key":       {"openai:m", nil, []string{"fail  model          openai:m: OPENAI_API_KEY is not set", "→ export OPENAI_API_KEY=…"}, true},
		"no Gemini key":       {"gemini:m", nil, []string{"fail  model          gemini:m: GEMINI_API_KEY is not set", "→ export GEMINI_API_KEY=…"}, true},
		"no Anthropic key":    {"anthropic:m", nil, []string{"fail  model          anthropic:m: ANTHROPIC_API_KEY is not set", "→ export ANTHROPIC_API_KEY=…"}, true},
		"wrong Anthropic key": {"anthropic:m", []string{config.EnvAnthropicKey, secret, config.EnvAnthropicURL, wrongKey.URL}, []string{"fail  model", "401", "→ export ANTHROPIC_API_KEY=…, with a key"}, true},
		"Anthropic gone":      {"anthropic:m", []string{config.EnvAnthropicKey, secret, config.EnvAnthropicURL, gone}, []string{"the server is not reachable", "unset ANTHROPIC_BASE_URL"}, true},
		"no price":            {"openai:m", []string{config.EnvOpenAIKey, secret, config.EnvOpenAIURL, good.URL, "ASSAY_MODEL_LIMITS_MAX_MONEY", "1"}, []string{"fail  model", `what model "openai:m" costs is unknown`, `→ add to the configuration, with its price: prices: {"openai:m": {input: …, output: …}}`}, true},
		"good":                {"openai:m", []string{config.EnvOpenAIKey, secret, config.EnvOpenAIURL, good.URL}, []string{"ok    model          openai:m: key accepted, server reached, structured answers by json_schema"}, false},
		"no json_schema":      {"ollama:m", []string{config.EnvOpenAIURL, older.URL}, []string{"ok    model          ollama:m", "structured answers by json_object"}, false},
		"good without key":    {"ollama:m", []string{config.EnvOpenAIURL, good.URL}, []string{"ollama:m: no key needed, server reached"}, false},
		"wrong key":           {"openai:m", []string{config.EnvOpenAIKey, secret, config.EnvOpenAIURL, wrongKey.URL}, []string{"fail  model", "401", "→ export OPENAI_API_KEY=…, with a key"}, true},
		"wrong key of a file": {"openai:m", []string{config.EnvOpenAIURL, wrongKey.URL, "ASSAY_KEY_FILES_OPENAI", keyFile}, []string{"401", "→ write a key that this server accepts into " + keyFile}, true},
		"wrong Gemini key":    {"gemini:m", []string{config.EnvGeminiKey, secret, config.EnvGeminiURL, wrongKey.URL}, []string{"fail  model", "401", "→ export GEMINI_API_KEY=…, with a key"}, true},
		"no such model":       {"ollama:m", []string{config.EnvOpenAIURL, noModel.URL}, []string{"404", "→ ollama pull m"}, true},
		"unreachable":         {"openai:m", []string{config.EnvOpenAIKey, secret, config.EnvOpenAIURL, gone}, []string{"the server is not reachable", "unset OPENAI_BASE_URL"}, true},
		"Gemini gone":         {"gemini:m", []string{config.EnvGeminiKey, secret, config.EnvGeminiURL, gone}, []string{"the server is not reachable", "unset GEMINI_BASE_URL"}, true},
		"key with a break":    {"openai:m", []string{config.EnvOpenAIKey, secret + "\n", config.EnvOpenAIURL, good.URL}, []string{"a line break"}, true},
		"address with user":   {"openai:m", []string{config.EnvOpenAIKey, secret, config.EnvOpenAIURL, "http://u:" + secret + "@host"}, []string{"must not hold credentials"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, stdout, _ := clitest.App(t.TempDir())
			withEnv(a, tc.env...)
			code := execute(t.Context(), a, []string{"doctor", "--model", tc.model})
			for _, want := range tc.want {
				if !strings.Contains(stdout.String(), want) {
					t.Errorf("doctor does not say %q:\n%s", want, stdout)
				}
			}
			if (code == cli.ExitFailed) != tc.fails || strings.Contains(stdout.String(), secret) {
				t.Errorf("exit code %d:\n%s", code, stdout)
			}
		})
	}
}

func TestModelsThatCannotBeMeant(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	for text, want := range map[string]string{
		"model: opanai:m":                                       `c.yaml:1: model is "opanai:m": there is no such model; did you mean "openai:m"?; known: offline, openai:NAME, gemini:NAME, anthropic:NAME, ollama:NAME`,
		"model: \"openai:\"":                                    "write openai:NAME",
		"models: {defalt: offline}":                             `c.yaml:1: unknown key "defalt" in models; did you mean "default"?`,
		"models:\n  query_rewrite: gpt":                         `c.yaml:2: models.query_rewrite is "gpt": there is no such model`,
		"models: offline":                                       "models: it needs lines",
		"models: {query_rewrite: [offline]}":                    "models.query_rewrite: it needs one value",
		"model: offline\nmodels: {default: offline}":            "models.default: this file also has model",
		"models: {default: offline}\nmodel: offline":            "this file also has models.default",
		"model_limits: {concurrency: 0}":                        `model_limits.concurrency is "0": it must be a whole number of at least 1`,
		"model_limits: {max_retries: -1}":                       "at least 0",
		"model_limits: {timeout: soon}":                         `model_limits.timeout is "soon": it must be a time such as 2s or 500ms, and positive`,
		"model_limits: {backoff_jitter_max: -1s}":               "and 0 or more",
		"model_limits: {max_call: 1}":                           `unknown key "max_call" in model_limits; did you mean "max_calls"?`,
		"model_limits: {max_calls: 1, max_calls: 2}":            "is already set in line 1",
		"models: {fallback: opanai:m}":                          `c.yaml:1: models.fallback is "opanai:m": there is no such model; did you mean "openai:m"?`,
		"model_limits: {max_session_calls: none}":               `c.yaml:1: model_limits.max_session_calls is "none": it must be a whole number of at least 1`,
		"model_limits: {max_session_tokens: 0}":                 `model_limits.max_session_tokens is "0"`,
		"model_limits:\n  max_money: 5 EUR":                     `c.yaml:2: model_limits.max_money is "5 EUR": it must be a number above 0, such as 0.5, without a currency`,
		"model_limits: {max_money: 0}":                          `model_limits.max_money is "0"`,
		"model_limits: {max_money: 1e-12}":                      `model_limits.max_money is "1e-12"`, // less than the smallest counted amount
		"model_limits: {max_session_money: NaN}":                `model_limits.max_session_money is "NaN"`,
		"model_limits: {max_session_money: .inf}":               `model_limits.max_session_money is ".inf"`,
		"model_limits: {circuit_failures: -1}":                  `model_limits.circuit_failures is "-1": it must be a whole number of at least 0`,
		"model_limits: {circuit_pause: 0}":                      `model_limits.circuit_pause is "0"`,
		"prices: {openai:m: {input: 1, outputs: 2}}":            `c.yaml:1: unknown key "outputs" in prices.openai:m; did you mean "output"?; known keys: input, output`,
		"prices:\n  openai:m: {input: 1}":                       `c.yaml:2: prices.openai:m: its output is missing; write 0 if it is free`,
		"prices:\n  openai:m: 1":                                `c.yaml:2: prices.openai:m: it needs lines of "key: value" below it; known keys: input, output`,
		"prices: openai:m":                                      `c.yaml:1: prices: it needs lines of`,
		"prices: {openai:m: {input: -1, output: 2}}":            `prices.openai:m.input is "-1": it must be a number of 0 or more`,
		"prices: {opanai:m: {input: 1, output: 2}}":             `c.yaml:1: prices.opanai:m.input: there is no such model; did you mean "openai:m"?`,
		"prices: {offline: {input: 1, output: 2}}":              `offline costs nothing and needs no price`,
		"vertex: {project: a/b}":                                `c.yaml:1: vertex.project is "a/b": it must be a name`,
		"vertex: {location: eu}\nmodel: gemini:m":               "vertex.location is set but vertex.project is not",
		"model_limits: {max_session_money: 1}\nmodel: ollama:m": `using model "ollama:m": what model "ollama:m" costs is unknown`,
		"model: openai:m":                                       "using model \"openai:m\": OPENAI_API_KEY is not set",
	} {
		a, stdout, stderr := clitest.App(t.TempDir())
		if code := execute(t.Context(), a, []string{"ask", "--config", writeConfig(t, text), "x"}); code != cli.ExitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: exit code %d, %s%s; want %q", text, code, stderr, stdout, want)
		}
	}
}

// Anthropic gets the token limit of an answer.
func TestAnthropicMaxTokens(t *testing.T) {
	for text, want := range map[string]string{"": `"max_tokens":4096`, "anthropic: {max_tokens: 77}\n": `"max_tokens":77`} {
		var body []byte
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body) // the test reports what is missing
			w.WriteHeader(http.StatusBadRequest)
		}))
		a, stdout, _ := clitest.App(t.TempDir())
		withEnv(a, config.EnvAnthropicKey, secret, config.EnvAnthropicURL, server.URL)
		execute(t.Context(), a, []string{"doctor", "--model", "anthropic:m", "--config", writeConfig(t, text+"memory: false\n")})
		server.Close()
		if !bytes.Contains(bytes.ReplaceAll(body, []byte(" "), nil), []byte(want)) {
			t.Errorf("asked %s; want %s in it: %s", body, want, stdout)
		}
	}
}

func TestKeyFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	server := newChat(t)
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("good", secret+"\n", 0o600)
	write("readonly", secret, 0o400)
	write("group", secret, 0o640)
	write("world", secret, 0o604)
	write("empty", "\n", 0o600)
	for _, tc := range []struct {
		file, env, want string
		key             string // the key that the server sees; "" for an error
	}{
		{"good", "", "key accepted", secret},
		{"readonly", "", "key accepted", secret},
		{"good", "sk-of-the-environment", "key accepted", "sk-of-the-environment"},
		{"group", "", "group can be read by others (mode 0640): chmod 600 ", ""},
		{"world", "", "chmod 600 ", ""},
		{"world", "sk-of-the-environment", "chmod 600 ", ""}, // the file is open to others, so it is refused even unused
		{"empty", "", "is empty: write the key into it", ""},
		{".", "", "is not a regular file", ""},
		{secret, "", "the value must be the path of a file that holds the key, not the key itself", ""},
	} {
		conf := filepath.Join(dir, "c.yaml")
		if err := os.WriteFile(conf, []byte("key_files:\n  openai: "+tc.file+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		a, stdout, stderr := clitest.App(t.TempDir())
		withEnv(a, config.EnvOpenAIURL, server.URL, config.EnvOpenAIKey, tc.env)
		server.keys = map[string]bool{}
		code := execute(t.Context(), a, []string{"doctor", "--json", "--config", conf, "--model", "openai:m"})
		if !strings.Contains(stdout.String(), tc.want) || (code == cli.ExitDone) != (tc.key != "") || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d: %s%s; want %q", tc.file, code, stdout, stderr, tc.want)
		}
		if tc.key != "" && !server.keys["Bearer "+tc.key] {
			t.Errorf("%s: the server saw %v", tc.file, server.keys)
		}
		if strings.Contains(stdout.String(), secret) || tc.key != "" && strings.Contains(stdout.String(), tc.key) {
			t.Errorf("%s: the key is shown: %s", tc.file, stdout)
		}
	}
}
