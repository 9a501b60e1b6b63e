package config

import (
	"maps"
	"testing"
	"time"

	"example.com/assay/llm"
)

func TestLimitsAreRead(t *testing.T) {
	s := configured(t, "model_limits:\n  concurrency: 3\n  max_retries: 0\n  backoff_base: 0.5\n  backoff_jitter_max: 0\n  timeout: 90s\n  requests_per_minute: 10\n  tokens_per_minute: 20\n  max_calls: 30\n  max_tokens: 40\n"+
		"  max_money: 0.25\n  max_tool_calls: 8\n  max_session_calls: 50\n  max_session_tokens: 60\n  max_session_money: 7\n  circuit_failures: 0\n  circuit_pause: 1m\n"+
		"prices:\n  openai:m: {input: 0.4, output: 1.6}\n  ollama:l:\n    input: 0\n    output: 0\n")
	l := s.Limits
	if l.Concurrency != 3 || l.Retry.MaxRetries != -1 || l.Retry.Base != 500*time.Millisecond || l.Retry.JitterMax != -1 || l.Timeout != 90*time.Second ||
		l.Rate.RequestsPerMinute != 10 || l.Rate.TokensPerMinute != 20 || l.Budget.MaxCalls != 30 || l.Budget.MaxTokens != 40 {
		t.Errorf("limits %+v", l)
	}
	budget := llm.BudgetOptions{MaxCalls: 30, MaxTokens: 40, MaxMoney: .25, MaxToolCalls: 8, Session: llm.BudgetBounds{MaxCalls: 50, MaxTokens: 60, MaxMoney: 7}}
	prices := llm.Prices{"openai:m": {Input: .4, Output: 1.6}, "ollama:l": {}}
	if l.Budget != budget || l.Circuit != (llm.CircuitOptions{Failures: -1, Pause: time.Minute}) || !maps.Equal(l.Prices, prices) {
		t.Errorf("limits %+v", l)
	}
}

// configured returns the settings of a configuration alone.
func configured(t *testing.T, text string) Settings {
	t.Helper()
	a := testApp(t)
	table, err := Table(a)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := parseConfig("c.yaml", []byte(text), table)
	if err != nil {
		t.Fatal(err)
	}
	s := Default(false)
	var p parser
	if p.apply(&s, table, entries); p.err != nil {
		t.Fatal(p.err)
	}
	return s
}
