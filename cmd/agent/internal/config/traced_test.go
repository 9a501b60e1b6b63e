package config

import (
	"maps"
	"strings"
	"testing"
)

func TestLabelledModels(t *testing.T) {
	s := Default(false)
	s.Model, s.Fallback = "openai:a", "offline"
	s.SkillModels["judge"], s.SkillModels["query_rewrite"] = "gemini:b", "ollama:c:latest"
	want := map[string]string{KeyModel: "openai:a", keyFallback: "offline", modelsPrefix + "judge": "gemini:b", modelsPrefix + "query_rewrite": "ollama:c:latest"}
	if got := labelledModels(s.ModelLabel()); !maps.Equal(got, want) {
		t.Errorf("%q is %v, want %v", s.ModelLabel(), got, want)
	}
}

// TestTracedSettings: a trace sets the settings of its pipeline, and no others. A trace without
// an encoder had none.
func TestTracedSettings(t *testing.T) {
	a := testApp(t)
	config := map[string]string{
		"corpus": "law", "confidence_threshold": "0.4", "model": "offline", "corpus_fingerprint": "x", "max_iterations": "2",
		"reranker": "http://elsewhere", "skills": "/etc", "key_files.openai": "/etc/passwd", "telemetry.endpoint": "http://elsewhere", "models.judge": "openai:m",
	}
	for asks, want := range map[bool]string{true: "corpus=law confidence_threshold=0.4 models.default=offline encoder=none", false: "corpus=law confidence_threshold=0.4 encoder=none"} {
		entries, err := TracedSettings(a, "run.jsonl", config, asks)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.key+"="+e.text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
