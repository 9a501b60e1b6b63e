package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// A small is a loopback server of a classifier. It speaks the wire of Text Embeddings Inference
// and gives each input the same probability.
type small struct {
	*httptest.Server
	p      atomic.Value // float64
	labels atomic.Value // [2]string: the label that is asked for, and the other
	status atomic.Int64 // instead of an answer; 0 for none
	asked  atomic.Int64
	auth   atomic.Value // string
}

func newSmall(t *testing.T, p float64, yes, no string) *small {
	t.Helper()
	s := &small{}
	s.p.Store(p)
	s.labels.Store([2]string{yes, no})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/info" {
			io.WriteString(w, `{"model_id":"org/nli"}`)
			return
		}
		s.asked.Add(1)
		s.auth.Store(r.Header.Get("Authorization"))
		var in struct {
			Inputs [][]string `json:"inputs"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if status := s.status.Load(); status != 0 {
			w.WriteHeader(int(status))
			return
		}
		names, p := s.labels.Load().([2]string), s.p.Load().(float64)
		var list []string
		for range in.Inputs {
			list = append(list, fmt.Sprintf(`[{"label":%q,"score":%v},{"label":%q,"score":%v}]`, names[0], p, names[1], 1-p))
		}
		io.WriteString(w, "["+strings.Join(list, ",")+"]")
	}))
	t.Cleanup(s.Close)
	return s
}

// verified runs agent verify on a response with its evidence.
func verified(t *testing.T, conf string, args ...string) (int, verify.Answer, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"c.yaml": conf, "r.txt": "A renewal is possible one time.", "e.txt": "The permit lasts three years. It may be renewed once by the county."} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, stdout, stderr := clitest.App(t.TempDir())
	withEnv(a, config.EnvJudgeKey, secret)
	code := execute(t.Context(), a, append([]string{"verify", "--json", "--show-claims", "--config", filepath.Join(dir, "c.yaml"), "--response", filepath.Join(dir, "r.txt"), "--context", filepath.Join(dir, "e.txt")}, args...))
	var answer verify.Answer
	if stdout.Len() > 0 {
		if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
			t.Fatalf("%v: %s%s", err, stdout, stderr)
		}
	}
	return code, answer, stderr.String()
}

func status(a verify.Answer) state.ClaimStatus {
	if claims := a.Verification.ClaimCheck.Claims; len(claims) == 1 {
		return claims[0].Status
	}
	return ""
}

// The configured server gives the verdicts. They are recorded and replayed like a model's. When
// the server fails, the model judges and the answer says so.
func TestJudgeByAddress(t *testing.T) {
	s := newSmall(t, .97, "ENTAILMENT", "NEUTRAL")
	conf := "verification:\n  judge: " + s.URL + "/predict\n  judge_model: org/nli\n" + quickRetries
	tape := filepath.Join(t.TempDir(), "tape")
	code, answer, told := verified(t, conf, "--record", tape)
	if code != cli.ExitDone || status(answer) != state.Supported || answer.Model != "offline, claims judged by org/nli" || s.auth.Load() != "Bearer "+secret || len(answer.Losses) != 0 {
		t.Fatalf("exit code %d, %+v: %s", code, answer, told)
	}
	s.p.Store(.1)
	if code, answer, told := verified(t, conf); status(answer) != state.Unsupported {
		t.Errorf("exit code %d, %+v: %s", code, answer, told)
	}
	s.p.Store(.6)
	if _, answer, told := verified(t, conf); status(answer) != state.Supported {
		t.Errorf("%+v: %s", answer, told)
	}
	if _, answer, told := verified(t, strings.Replace(conf, "  judge_model", "  judge_calibration: 1 -1\n  judge_model", 1)); status(answer) != state.Unsupported {
		t.Errorf("calibrated: %+v: %s", answer, told)
	}
	asked := s.asked.Load()
	if code, answer, told := verified(t, conf, "--replay", tape); code != cli.ExitDone || status(answer) != state.Supported || s.asked.Load() != asked {
		t.Errorf("exit code %d, %d requests, %+v: %s", code, s.asked.Load()-asked, answer, told)
	}
	for _, status := range []int64{http.StatusUnauthorized, http.StatusInternalServerError} {
		s.status.Store(status)
		code, answer, told := verified(t, conf)
		want := fmt.Sprint(status)
		if len(answer.Losses) != 1 || !strings.Contains(answer.Losses[0].Error, want) || len(answer.Warnings) != 1 || !strings.Contains(answer.Warnings[0], "another judge stood in") || strings.Contains(told, secret) {
			t.Errorf("exit code %d, %+v: %s", code, answer, told)
		}
	}
	if recorded, err := os.ReadFile(tape); err != nil || strings.Contains(string(recorded), secret) || strings.Contains(string(recorded), s.URL) {
		t.Errorf("the cassette shows a key or an address: %v", err)
	}
}

func TestJudgeSettings(t *testing.T) {
	for conf, want := range map[string]string{
		"judge: tei":                                  "it must be model, or an address",
		"judge: http://h/score":                       "verification.judge: setting up the judge: the address must end in /predict",
		"judge: http://h/v1":                          "needs the name of a model",
		"judge_model: a b":                            "without spaces and commas",
		"judge_labels: LABEL_1=perhaps":               "must be one of [supported contradicted unsupported]",
		"judge_calibration: high":                     "is not a calibration",
		"judge: http://h/predict\n  judges: http://x": `unknown key "judges"`,
	} {
		if code, answer, told := verified(t, "verification:\n  "+conf+"\n"); code != cli.ExitUsage || !strings.Contains(told+answer.Error, want) {
			t.Errorf("%s: exit code %d: %s%s", conf, code, told, answer.Error)
		}
	}
	if code, answer, told := verified(t, "verification:\n  judge: model\n"); code == cli.ExitUsage || answer.Model != "offline" {
		t.Errorf("exit code %d, %+v: %s", code, answer, told)
	}
}

func TestDoctorAsksTheJudge(t *testing.T) {
	s := newSmall(t, .97, "LABEL_1", "LABEL_0")
	doctor := func(more string) (int, string) {
		conf := writeConfig(t, "verification:\n  judge: "+s.URL+"/predict\n"+more)
		a, stdout, _ := clitest.App(t.TempDir())
		code := execute(t.Context(), a, []string{"doctor", "--config", conf})
		return code, stdout.String()
	}
	if code, out := doctor(""); code != cli.ExitFailed || !strings.Contains(out, "LABEL_1, LABEL_0") || !strings.Contains(out, "→ say what its labels mean: verification.judge_labels: LABEL_1=supported") {
		t.Errorf("exit code %d: %s", code, out)
	}
	labels := "  judge_labels: LABEL_1=supported\n"
	if code, out := doctor(labels); code != cli.ExitDone || !strings.Contains(out, "ok    judge          verification.judge: server reached, org/nli answered with probability 0.97") || !strings.Contains(out, "offline: no key, no network") {
		t.Errorf("exit code %d: %s", code, out)
	}
	s.status.Store(http.StatusUnauthorized)
	if code, out := doctor(labels); code != cli.ExitFailed || !strings.Contains(out, "→ export JUDGE_API_KEY=…") {
		t.Errorf("exit code %d: %s", code, out)
	}
	s.Close()
	if code, out := doctor(labels); code != cli.ExitFailed || !strings.Contains(out, "→ start the server, or remove verification.judge") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// The judge "configured" is measured alone, recorded under its model's name, and calibrated. The
// printed setting calibrates its probabilities.
func TestEvalConfiguredJudge(t *testing.T) {
	s := newSmall(t, .97, "yes", "no")
	var data strings.Builder
	for i := range 60 {
		label := "supported"
		if i%3 == 0 {
			label = "not_supported"
		}
		fmt.Fprintf(&data, `{"id":"w%d","claim":"Claim number %d holds water.","label":%q,"evidence":["The claim of number %d is that water is held."],"claim_title":"t%d"}`+"\n", i, i, label, i, i)
	}
	file := filepath.Join(t.TempDir(), "mine.jsonl")
	if err := os.WriteFile(file, []byte(data.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	measure := func(more string, args ...string) (int, string, string) {
		conf := writeConfig(t, "verification:\n  judge: "+s.URL+"/predict\n"+more+quickRetries)
		a, stdout, stderr := clitest.App(t.TempDir())
		code := execute(t.Context(), a, append([]string{"eval", "claims", "--format", "wice", "--data", file, "--judge", "configured", "--config", conf}, args...))
		return code, stdout.String(), stderr.String()
	}
	tape := filepath.Join(t.TempDir(), "tape")
	code, out, told := measure("", "--json", "--record", tape)
	type document struct {
		Judge       string
		Model       string `json:"judge_model"`
		Calibration string `json:"judge_calibration"`
		Data        string `json:"data_sha256"`
		Unfit       string `json:"no_calibration"`
		N, Failed   int
		Fit         *struct {
			Calibration string `json:"judge_calibration"`
			N           int
			ECE         float64
			Calibrated  float64 `json:"ece_calibrated"`
		} `json:"calibration"`
	}
	var got document
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != cli.ExitDone {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, told)
	}
	// Equal probabilities have no order: the fit gives the share of right ones.
	if got.Judge != "configured" || got.Model != "org/nli" || got.N != 60 || got.Failed != 0 || strings.Contains(out, s.URL) || got.Data == "" {
		t.Errorf("%s", out)
	}
	if got.Fit == nil || got.Fit.N != 60 || got.Fit.ECE < .25 || got.Fit.Calibrated > .1 {
		t.Fatalf("fit %+v, %q", got.Fit, got.Unfit)
	}
	code, out, _ = measure("  judge_calibration: "+got.Fit.Calibration+"\n", "--json")
	var again document
	if err := json.Unmarshal([]byte(out), &again); err != nil || code != cli.ExitDone || again.Calibration != got.Fit.Calibration || again.Fit == nil || again.Fit.Calibration != got.Fit.Calibration {
		t.Errorf("exit code %d, %v: %s; a fit is of what the server says", code, err, out)
	}
	if code, out, told := measure(""); code != cli.ExitDone || !strings.Contains(out, "wice, judge configured (org/nli): n 60") || !strings.Contains(out, "\nverification.judge_calibration: "+got.Fit.Calibration+"\n") {
		t.Errorf("exit code %d: %s%s", code, out, told)
	}
	if _, out, _ := measure("", "--limit", "5"); !strings.Contains(out, "no calibration: calibrating: the judge was asked about 5 claims") {
		t.Errorf("%s", out)
	}
	asked := s.asked.Load()
	if code, out, told := measure("", "--replay", tape, "--json"); code != cli.ExitDone || s.asked.Load() != asked || !strings.Contains(out, got.Fit.Calibration) {
		t.Errorf("exit code %d: %s%s", code, out, told)
	}
	s.status.Store(http.StatusUnauthorized)
	if code, out, told := measure(""); code != cli.ExitFailed || !strings.Contains(told, "no claim could be judged; the first: ") || !strings.Contains(told, "401") {
		t.Errorf("exit code %d: %s%s", code, out, told)
	}
	a, _, stderr := clitest.App(t.TempDir())
	if code := execute(t.Context(), a, []string{"eval", "claims", "--format", "wice", "--data", file, "--judge", "configured"}); code != cli.ExitUsage || !strings.Contains(stderr.String(), "names no server") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	a, _, stderr = clitest.App(t.TempDir())
	if code := execute(t.Context(), a, []string{"eval", "claims", "--format", "wice", "--data", file, "--record", "x"}); code != cli.ExitUsage || !strings.Contains(stderr.String(), "are for --judge configured") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// A sentence that the detector takes for prompt injection is reported and supports nothing.
// Without the detector's server only the rules look, and the answer says so. Findings are
// replayed without the server.
func TestInjectionDetector(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := newSmall(t, .01, "INJECTION", "SAFE")
	conf := writeConfig(t, "injection_detector: "+s.URL+"/predict\n"+quickRetries)
	ask := func(args ...string) (int, state.Answer, string) {
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvDetectorKey, secret)
		code := execute(t.Context(), a, append([]string{"ask", "--json", "--config", conf, clitest.PermitQuestion}, args...))
		var answer state.Answer
		if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
			t.Fatalf("%v: %s%s", err, stdout, stderr)
		}
		return code, answer, stderr.String()
	}
	if code, answer, told := ask(); code != cli.ExitDone || len(answer.Warnings) != 0 || s.asked.Load() == 0 || s.auth.Load() != "Bearer "+secret {
		t.Errorf("exit code %d, warnings %q: %s", code, answer.Warnings, told)
	}
	s.p.Store(.99)
	tape := filepath.Join(t.TempDir(), "tape")
	code, answer, told := ask("--record", tape)
	if len(answer.Warnings) == 0 || !strings.Contains(answer.Warnings[0], "speaks to an assistant was withheld (detected)") || answer.Status == state.StatusAnswered {
		t.Errorf("exit code %d, %s, warnings %q: %s", code, answer.Status, answer.Warnings, told)
	}
	asked := s.asked.Load()
	if _, again, told := ask("--replay", tape); s.asked.Load() != asked || strings.Join(again.Warnings, "\n") != strings.Join(answer.Warnings, "\n") || strings.Contains(told, "were not used") {
		t.Errorf("%d requests, warnings %q: %s", s.asked.Load()-asked, again.Warnings, told)
	}
	s.status.Store(http.StatusUnauthorized)
	if code, answer, told := ask(); len(answer.Warnings) == 0 || !strings.Contains(answer.Warnings[0], "by rules alone, since the detector failed") || !strings.Contains(answer.Warnings[0], "401") || strings.Contains(told, secret) {
		t.Errorf("exit code %d, warnings %q: %s", code, answer.Warnings, told)
	}
	a, stdout, _ := clitest.App(home)
	if code := execute(t.Context(), a, []string{"doctor", "--config", conf}); code != cli.ExitFailed || !strings.Contains(stdout.String(), "fail  detector       injection_detector: ") || !strings.Contains(stdout.String(), "→ export INJECTION_DETECTOR_API_KEY=…") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	for text, want := range map[string]string{"http://h/v1": "asked about claims alone", "rules": "it must be none, or an address", "http://h/score": "must end in /predict"} {
		a, _, stderr := clitest.App(home)
		withEnv(a, "ASSAY_INJECTION_DETECTOR", text)
		if code := execute(t.Context(), a, []string{"ask", clitest.PermitQuestion}); code != cli.ExitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d: %s", text, code, stderr)
		}
	}
}
