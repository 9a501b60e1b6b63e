package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph/temporal/temporaltest"
	"example.com/assay/internal/pgtest"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
)

// volatile matches the parts in which equal runs differ.
var volatile = regexp.MustCompile(`"run_id": "[^"]*"|, send [0-9]|"elapsed_ms": [0-9.e+-]+|(?s)"node_ms": \{.*?\}|[0-9.]+ m?s\b`)

// ends runs a command line that may be stopped, and returns its output.
func (u storeUser) ends(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	u.t.Helper()
	a, out, errs := u.app()
	code = execute(ctx, a, args)
	return code, strings.ReplaceAll(out.String(), u.home, "HOME"), errs.String()
}

// A halting model stops the program, and does not answer until it is stopped itself.
type halting struct{ stop context.CancelCauseFunc }

func (h halting) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	h.stop(cli.ErrInterrupted)
	<-ctx.Done()
	return llm.Response{}, context.Cause(ctx)
}

// A pipeline on a worker prints the same as in one process, as text and as JSON, and with the
// same exit code, also when its budget is spent and when it is stopped.
func TestPipelinesOnWorkers(t *testing.T) {
	server, store := temporaltest.Address(t), pgtest.URL(t, pgtest.Schema(t))
	schema, whole, _, blank := extractFiles(t)
	dir := t.TempDir()
	long, response, rules := filepath.Join(dir, "long.txt"), filepath.Join(dir, "response.txt"), filepath.Join(dir, "rules.md")
	for file, text := range map[string]string{
		long: strings.Repeat("The harbour lies behind the old mill.\n", 4000) + "Invoice: A-17\nTOTAL 13.75\n", response: partly, rules: mooring,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	corpus := filepath.Join(dir, "corpus.md")
	if err := os.WriteFile(corpus, []byte(harbourRules+"\n"+trials+"\n"+mooring), 0o600); err != nil {
		t.Fatal(err)
	}
	works := storeUser{t: t, home: t.TempDir(), env: map[string]string{}}
	works.run(cli.ExitDone, "ingest", corpus)
	works.run(cli.ExitDone, "comply", "--corpus", "sample-county", "How soon must a crisis call be answered?") // unpacks the sample
	for name, verb := range map[string][]string{
		"comply": {"comply", keeping}, "comply, reviewed": {"comply", "--model-review", keeping}, "comply, nowhere": {"comply", nowhere},
		"comply, the sample": {"comply", "--corpus", "sample-county", "How soon must a crisis call be answered?"},
		"edges":              {"edges", "verify", edgeFile(t, "smoking", "lung cancer", "strong")}, "edges, none": {"edges", "verify", edgeFile(t, "quarks", "gluons", "weak")},
		"edges, one look": {"edges", "verify", "--judge-iterations", "1", edgeFile(t, "smoking", "lung cancer", "strong")},
		"extract":         {"extract", "--schema", schema, whole}, "extract, twice": {"extract", "--schema", schema, "--max-iterations", "2", "--llm-verification", blank},
		"extract, by reference": {"extract", "--schema", schema, long}, "extract, many": {"extract", "--schema", schema, whole, blank, long, "--jobs", "3"},
		"verify": {"verify", "--response", response, "--context", rules, "--query", "What does a permit cost?"}, "verify, corpus": {"verify", "--response", response, "--corpus", "default", "--verification-threshold", "0.9"},
	} {
		t.Run(name, func(t *testing.T) {
			for model, make := range map[string]func(context.CancelCauseFunc) llm.Model{
				"offline": nil,
				"budget": func(context.CancelCauseFunc) llm.Model {
					return llm.NewControls(&llm.ControlOptions{Budget: llm.BudgetOptions{MaxCalls: 1}}).WrapNamed("m", offline.New(nil))
				},
				"stopped": func(stop context.CancelCauseFunc) llm.Model { return halting{stop} },
			} {
				if model != "offline" && strings.Contains(name, ",") {
					continue
				}
				for i, args := range [][]string{append(verb[:len(verb):len(verb)], "--json"), verb} {
					if i == 1 && model == "stopped" || i == 0 && model == "budget" { // it takes a heartbeat; the order of calls decides which are counted
						continue
					}
					run := func(env map[string]string, remote bool) (int, string, string) {
						ctx, stop := context.WithCancelCause(t.Context())
						defer stop(nil)
						u := storeUser{t: t, home: works.home, env: env}
						if make != nil {
							u.model = func() llm.Model { return make(stop) }
						}
						if remote {
							defer u.works()()
							u.model = nil
						}
						return u.ends(ctx, args...)
					}
					code, stdout, stderr := run(map[string]string{}, false)
					gotCode, gotOut, gotErr := run(map[string]string{config.EnvStore: store, "ASSAY_TEMPORAL": server}, true)
					if model == "stopped" { // the work done before the stop is random
						stdout, gotOut = statusIn(stdout), statusIn(gotOut)
					}
					differs := cmp.Diff(volatile.ReplaceAllString(stdout+stderr, ""), volatile.ReplaceAllString(gotOut+gotErr, ""))
					if gotCode != code || differs != "" {
						t.Errorf("%s, %q: a worker's run ends with code %d, and this process with %d; - this process, + a worker:\n%s", model, args, gotCode, code, differs)
					}
				}
			}
		})
	}
}

// statusIn reads the status in an answer.
func statusIn(answer string) string {
	return regexp.MustCompile(`"status": "[a-z_]*"`).FindString(answer)
}

// Many questions make as many runs. Each has a thread that names its question, which agent
// resume does not take for a question's own thread. Edges with a thread continue there.
func TestThreadsOfPipelinesOnWorkers(t *testing.T) {
	u := storeUser{t: t, home: t.TempDir(), env: map[string]string{config.EnvStore: pgtest.URL(t, pgtest.Schema(t)), "ASSAY_TEMPORAL": temporaltest.Address(t)}}
	clitest.Ingest(t, u.home, harbourRules+"\n"+trials)
	defer u.works()()
	dir := t.TempDir()
	questions := filepath.Join(dir, "questions.jsonl")
	if err := os.WriteFile(questions, []byte(`{"id": "one", "question": "`+keeping+`"}
{"id": "two", "question": "`+nowhere+`"}
{"id": "three", "question": "Who keeps the records?"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	summary := func(out string, args ...string) string {
		u.shows("3 asked, 0 already finished, 0 failed", append([]string{"comply", "--questions", questions, "--out", out, "--jobs", "3"}, args...)...)
		data, err := os.ReadFile(filepath.Join(out, "summary.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	got, want := summary(filepath.Join(dir, "there")), summary(filepath.Join(dir, "here"), "--temporal", "")
	if got != want {
		t.Errorf("workers answer\n%s\nthis process\n%s", got, want)
	}
	list := u.run(cli.ExitDone, "threads", "list")
	thread := regexp.MustCompile(`(?m)^(comply-\S+) .*  default  ` + regexp.QuoteMeta(keeping) + `$`).FindStringSubmatch(list)
	if strings.Count(list, "comply-") != 3 || thread == nil {
		t.Fatalf("threads\n%s", list)
	}
	for _, args := range [][]string{{"resume", thread[1]}, {"ask", "--thread", thread[1], keeping}} {
		if said := u.run(cli.ExitUsage, args...); !strings.Contains(said, "is a run of the pipeline comply") {
			t.Errorf("%q says %s", args, said)
		}
	}
	verify := []string{"edges", "verify", "--thread", "smoke", edgeFile(t, "smoking", "lung cancer", "strong")}
	u.shows("1 of 1 edges are grounded", verify...)
	u.shows("1 of 1 edges are grounded", verify...)
	u.shows(`(?s)(smoke .*  ended  edges.*){2}`, "threads", "runs")
}
