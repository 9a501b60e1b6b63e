package llm_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
	"example.com/assay/state"
)

func TestFallback(t *testing.T) {
	quota := &llm.StatusError{Status: http.StatusTooManyRequests, Code: "insufficient_quota"}
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"503":         {status(503), true},
		"429":         {status(429), true},
		"quota":       {quota, true},
		"circuit":     {&llm.CircuitError{}, true},
		"lost":        {&llm.ConnectionError{Err: io.EOF}, true},
		"timeout":     {&llm.TimeoutError{}, true},
		"none":        {nil, false},
		"budget":      {&llm.BudgetError{}, false},
		"budget too":  {errors.Join(status(503), &llm.BudgetError{}), false},
		"price":       {&llm.PriceError{}, false},
		"400":         {status(400), false},
		"401":         {status(401), false},
		"certificate": {&llm.ConnectionError{Err: &tls.CertificateVerificationError{Err: errors.New("x")}}, false},
		"cut":         {&llm.TruncatedError{}, false},
		"blocked":     {&llm.BlockedError{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			first := &failing{errs: []error{tc.err}, usage: llm.Usage{InputTokens: 5}}
			second := &llmtest.Script{Model: "second", Answers: map[string][]llmtest.Answer{"": {{Text: "two words"}}}}
			resp, err := llm.Fallback(second)(first).Generate(t.Context(), llm.Request{})
			asked := second.Total() == 1
			if asked != tc.want || asked != (resp.Model == "second") || !asked && !errors.Is(err, tc.err) {
				t.Errorf("second asked: %v; %+v, %v", asked, resp, err)
			}
			if asked && resp.Usage != (llm.Usage{InputTokens: 5, OutputTokens: 2}) {
				t.Errorf("usage %+v", resp.Usage)
			}
		})
	}
}

func TestFallbackThatFailsToo(t *testing.T) {
	m := llm.Fallback(&failing{errs: []error{status(400)}})(&failing{errs: []error{status(503)}})
	_, err := m.Generate(t.Context(), llm.Request{})
	if e, ok := errors.AsType[*llm.StatusError](err); !ok || e.Status != 400 || !strings.Contains(err.Error(), "503") || llm.Retryable(err) {
		t.Errorf("error %v", err)
	}
}

func TestNoFallbackForWhoLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	second := &failing{}
	leaving := &each{next: func(int) error { cancel(); return status(503) }}
	if _, err := llm.Fallback(second)(leaving).Generate(ctx, llm.Request{}); err == nil || len(second.asked) != 0 {
		t.Errorf("%v; the second was asked %d times", err, len(second.asked))
	}
}

// The event of a call says that another model answered, and why.
func TestFallbackIsSeen(t *testing.T) {
	first := script(skills.ClassifyAndRoute, llmtest.Answer{Err: status(503)}, llmtest.Answer{Text: simple})
	second := &llmtest.Script{Model: "second", Answers: map[string][]llmtest.Answer{skills.ClassifyAndRoute: {{Text: simple}}}}
	events := callEvents(t, func(ctx context.Context) error {
		for range 2 {
			if _, _, err := classify(ctx, t, llm.Fallback(second)(first)); err != nil {
				return err
			}
		}
		return nil
	})
	if len(events) != 2 || events[0].Model != "second" || !strings.Contains(events[0].Fallback, "503") || events[1].Model != "script" || events[1].Fallback != "" {
		t.Errorf("events %+v", events)
	}
}

// What a listener holds after each chunk is the text of one model.
func TestFallbackStreams(t *testing.T) {
	for name, tc := range map[string]struct {
		second llmtest.Answer
		want   []llm.Chunk
	}{
		"both stream": {llmtest.Answer{Text: "xy", Chunks: []string{"x", "y"}}, []llm.Chunk{{Text: "a"}, {Text: "b"}, {Text: "x", Again: true}, {Text: "y"}}},
		"only one":    {llmtest.Answer{Text: "xy", Chunks: []string{}}, []llm.Chunk{{Text: "a"}, {Text: "b"}, {Text: "xy", Again: true}}},
		"empty chunk": {llmtest.Answer{Text: "xy", Chunks: []string{"", "xy"}}, []llm.Chunk{{Text: "a"}, {Text: "b"}, {Text: "xy", Again: true}}},
	} {
		var got []llm.Chunk
		m := llm.Fallback(script("", tc.second))(script("", llmtest.Answer{Chunks: []string{"a", "b"}, Err: status(503)}))
		if _, err := m.Generate(t.Context(), llm.Request{OnText: func(c llm.Chunk) { got = append(got, c) }}); err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tc.want)
		}
	}
}

// Each attempt is priced by who made it: the repeated one of the first model
// and that of the second.
func TestPriceOfRetriesAndFallback(t *testing.T) {
	used := llm.Usage{InputTokens: 1_000_000}
	retry := llm.Retry(&llm.RetryOptions{MaxRetries: 1, Base: 1, JitterMax: -1})
	first := retry(llm.Priced(prices, "a")(costing{"a", used, status(503)}))
	m := llm.Fallback(llm.Priced(prices, "tiny")(costing{"tiny", used, nil}))(first)
	var usage state.ModelUsage
	events := callEvents(t, func(ctx context.Context) (err error) {
		_, usage, err = classify(ctx, t, m)
		return err
	})
	if usage.Cost.String() != "4.0375" || usage.Unpriced != 0 || usage.InputTokens != 3_000_000 {
		t.Errorf("usage %+v", usage)
	}
	if len(events) != 1 || events[0].Usage != usage || events[0].Model != "tiny" {
		t.Errorf("events %+v", events)
	}
}

// A model that stands in answers after a refused key and a misread answer, too,
// and the receipt tells what was lost.
func TestStandIn(t *testing.T) {
	for name, tc := range map[string]struct {
		err   error
		want  bool
		cause state.Cause
	}{
		"401":     {status(401), true, state.CauseKey},
		"503":     {status(503), true, state.CauseModel},
		"lost":    {&llm.ConnectionError{Err: io.EOF}, true, state.CauseNetwork},
		"garbage": {&llm.ResponseError{Err: io.EOF}, true, state.CauseModel},
		"other":   {errors.New("x"), true, state.CauseModel},
		"none":    {nil, false, ""},
		"budget":  {errors.Join(status(503), &llm.BudgetError{}), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			first := &failing{errs: []error{tc.err}}
			second := &llmtest.Script{Model: "second", Answers: map[string][]llmtest.Answer{"": {{Text: "two words"}}}}
			ctx, met := llm.Open(t.Context())
			resp, err := llm.StandIn(second)(first).Generate(ctx, llm.Request{})
			asked := second.Total() == 1
			if asked != tc.want || asked != (resp.Model == "second") || !asked && !errors.Is(err, tc.err) {
				t.Errorf("second asked: %v; %+v, %v", asked, resp, err)
			}
			if got := met.Close(); got.Lost != tc.cause || (got.Fallback != "") != tc.want {
				t.Errorf("entry %+v", got)
			}
		})
	}
	ctx, met := llm.Open(t.Context())
	second := &llmtest.Script{Model: "second", Answers: map[string][]llmtest.Answer{"": {{Text: "x"}}}}
	if _, err := llm.Fallback(second)(&failing{errs: []error{status(503)}}).Generate(ctx, llm.Request{}); err != nil || met.Close().Lost != "" {
		t.Errorf("a fallback is no loss: %+v, %v", met.Close(), err)
	}
	again, read := llm.Open(t.Context())
	llm.Book(again, met.Close())
	llm.Book(again, llm.Entry{Fallback: "why", Lost: state.CauseKey})
	if got := read.Close(); got.Lost != state.CauseKey {
		t.Errorf("of a recording: %+v", got)
	}
}
