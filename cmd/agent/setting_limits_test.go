package main

import (
	"testing"
	"time"
)

func TestLimitsAreRead(t *testing.T) {
	s := configured(t, "model_limits:\n  concurrency: 3\n  max_retries: 0\n  backoff_base: 0.5\n  backoff_jitter_max: 0\n  timeout: 90s\n  requests_per_minute: 10\n  tokens_per_minute: 20\n  max_calls: 30\n  max_tokens: 40\n")
	l := s.limits
	if l.Concurrency != 3 || l.Retry.MaxRetries != -1 || l.Retry.Base != 500*time.Millisecond || l.Retry.JitterMax != -1 || l.Timeout != 90*time.Second ||
		l.Rate.RequestsPerMinute != 10 || l.Rate.TokensPerMinute != 20 || l.Budget.MaxCalls != 30 || l.Budget.MaxTokens != 40 {
		t.Errorf("limits %+v", l)
	}
}

// configured are the settings that a configuration alone gives.
func configured(t *testing.T, text string) settings {
	t.Helper()
	a, _, _ := testApp(t.TempDir())
	table, err := a.settingTable()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := parseConfig("c.yaml", []byte(text), table)
	if err != nil {
		t.Fatal(err)
	}
	s := defaultSettings(false)
	var p parser
	if p.apply(&s, table, entries); p.err != nil {
		t.Fatal(p.err)
	}
	return s
}
