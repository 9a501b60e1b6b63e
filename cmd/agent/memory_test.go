package main

import (
	"strings"
	"testing"

	"example.com/assay/memory/qa"
)

func TestWhyNot(t *testing.T) {
	for _, c := range []struct {
		d    qa.Difference
		want string
	}{
		{qa.Difference{Name: "corpus", Then: strings.Repeat("a", 64), Now: strings.Repeat("b", 64)}, "the corpus has changed: its fingerprint was aaaaaaaaaaaa, it is bbbbbbbbbbbb"},
		{qa.Difference{Name: "skill plan", Then: strings.Repeat("1", 64), Now: strings.Repeat("2", 64)}, "the skill plan has changed: its hash was 111111111111, it is 222222222222"},
		{qa.Difference{Name: "skill plan", Now: strings.Repeat("2", 64)}, "the skill plan has changed: its hash was none, it is 222222222222"},
		{qa.Difference{Name: "model", Then: "offline", Now: "openai:x"}, "model was offline, it is openai:x"},
		{qa.Difference{Name: "reranker", Now: "judge"}, "reranker was none, it is judge"},
	} {
		if got := whyNot(c.d); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Every setting that can change an answer is one of the conditions.
func TestConditions(t *testing.T) {
	of := func(change func(*settings)) []qa.Condition {
		t.Helper()
		s := defaultSettings(true)
		change(&s)
		set, err := s.loadSkills()
		if err != nil {
			t.Fatal(err)
		}
		now, err := conditionsOf(s, "f", "", set)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	plain := of(func(*settings) {})
	for name, change := range map[string]func(*settings){
		"model":         func(s *settings) { s.model = "openai:x" },
		"skill's model": func(s *settings) { s.skillModels = map[string]string{"judge": "openai:x"} },
		"fallback":      func(s *settings) { s.fallback = "ollama:x" },
		"threshold":     func(s *settings) { s.threshold = .8 },
		"verification":  func(s *settings) { s.verification.enabled = false },
		"grounded":      func(s *settings) { s.verification.threshold = .8 },
		"attempts":      func(s *settings) { s.verification.attempts = 0 },
		"unsupported":   func(s *settings) { s.verification.unsupported = "strike" },
		"embedder":      func(s *settings) { s.lookup.embedder = "openai:x" },
		"reranker":      func(s *settings) { s.lookup.reranker = "judge" },
		"dimension":     func(s *settings) { s.lookup.dimension = 64 },
		"search tool":   func(s *settings) { s.searchTool = true },
		"edges":         func(s *settings) { s.searchTool, s.inSession = true, true },
		"its model":     func(s *settings) { s.lookup.model = "x" },
		"judge":         func(s *settings) { s.verification.judge.url = "http://h/predict" },
		"calibration": func(s *settings) {
			s.verification.judge.url, s.verification.judge.calibration = "http://h/predict", "1 1"
		},
		"detector": func(s *settings) { s.lookup.detector.url = "http://h/predict" },
	} {
		if got := of(change); len(qa.Differences(plain, got)) == 0 {
			t.Errorf("%s is no condition", name)
		}
	}
	for name, change := range map[string]func(*settings){
		"memory": func(s *settings) { s.memory = false },
		"claims": func(s *settings) { s.verification.showClaims = true },
		"home":   func(s *settings) { s.home = "x" },
	} {
		if got := qa.Differences(plain, of(change)); len(got) != 0 {
			t.Errorf("%s makes answers stale: %v", name, got)
		}
	}
}
