package open

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm/classify"
	"example.com/assay/memory/qa"
)

// Every setting that can change an answer is one of the conditions.
func TestConditions(t *testing.T) {
	of := func(change func(*config.Settings)) []qa.Condition {
		t.Helper()
		s := config.Default(true)
		change(&s)
		set, err := s.LoadSkills()
		if err != nil {
			t.Fatal(err)
		}
		now, err := Conditions(s, "f", "", set)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	plain := of(func(*config.Settings) {})
	for name, change := range map[string]func(*config.Settings){
		"model":         func(s *config.Settings) { s.Model = "openai:x" },
		"skill's model": func(s *config.Settings) { s.SkillModels = map[string]string{"judge": "openai:x"} },
		"fallback":      func(s *config.Settings) { s.Fallback = "ollama:x" },
		"threshold":     func(s *config.Settings) { s.Threshold = .8 },
		"verification":  func(s *config.Settings) { s.Verification.Enabled = false },
		"grounded":      func(s *config.Settings) { s.Verification.Threshold = .8 },
		"attempts":      func(s *config.Settings) { s.Verification.Attempts = 0 },
		"unsupported":   func(s *config.Settings) { s.Verification.Unsupported = "strike" },
		"embedder":      func(s *config.Settings) { s.Lookup.Embedder = "openai:x" },
		"reranker":      func(s *config.Settings) { s.Lookup.Reranker = "judge" },
		"dimension":     func(s *config.Settings) { s.Lookup.Dimension = 64 },
		"search tool":   func(s *config.Settings) { s.SearchTool = true },
		"servers": func(s *config.Settings) {
			s.SearchTool, s.Servers = true, map[string]*config.Server{"a": {Name: "a", Command: "x", Tools: []string{"t"}}}
		},
		"edges":     func(s *config.Settings) { s.SearchTool, s.InSession = true, true },
		"its model": func(s *config.Settings) { s.Lookup.Model = "x" },
		"judge":     func(s *config.Settings) { s.Verification.Judge.URL = "http://h/predict" },
		"calibration": func(s *config.Settings) {
			s.Verification.Judge.URL, s.Verification.Judge.Calibration = "http://h/predict", &classify.Calibration{A: 1, B: 1}
		},
		"detector": func(s *config.Settings) { s.Lookup.Detector.URL = "http://h/predict" },
	} {
		if got := of(change); len(qa.Differences(plain, got)) == 0 {
			t.Errorf("%s is no condition", name)
		}
	}
	with := func(server config.Server) []qa.Condition {
		return of(func(s *config.Settings) { s.SearchTool, s.Servers = true, map[string]*config.Server{"a": &server} })
	}
	one := with(config.Server{Name: "a", Command: "x", Args: []string{"--key=hunter2"}, Tools: []string{"t"}})
	for _, other := range []config.Server{{Name: "a", Command: "y", Args: []string{"--key=hunter2"}, Tools: []string{"t"}}, {Name: "a", Command: "x", Tools: []string{"t"}}, {Name: "a", Command: "x", Args: []string{"--key=hunter2"}}} {
		if len(qa.Differences(one, with(other))) == 0 {
			t.Errorf("%+v makes no answer stale", other)
		}
	}
	if strings.Contains(fmt.Sprint(one), "hunter2") {
		t.Error("a server's arguments are remembered")
	}
	for name, change := range map[string]func(*config.Settings){
		"memory": func(s *config.Settings) { s.Memory = false },
		"claims": func(s *config.Settings) { s.Verification.ShowClaims = true },
		"home":   func(s *config.Settings) { s.Home = "x" },
	} {
		if got := qa.Differences(plain, of(change)); len(got) != 0 {
			t.Errorf("%s makes answers stale: %v", name, got)
		}
	}
}
