package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"example.com/assay/internal/pgtest"
	"example.com/assay/llm"
	"example.com/assay/llm/postgres"
)

// counting counts its calls.
type counting struct{ calls int }

func (m *counting) Generate(context.Context, llm.Request) (llm.Response, error) {
	m.calls++
	return llm.Response{}, nil
}

// A server that is killed and started again delays a call. While it is down none is made.
func TestServerKilledBetweenCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	server := pgtest.NewServer(t)
	buckets, err := postgres.New(t.Context(), pgtest.PoolAt(t, server.Address), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &counting{}
	patient := llm.NewControls(&llm.ControlOptions{Rate: llm.RateOptions{RequestsPerMinute: 600, Buckets: buckets}, Retry: llm.RetryOptions{MaxRetries: 8, Base: 100 * time.Millisecond}}).Wrap(m)
	hasty := llm.NewControls(&llm.ControlOptions{Rate: llm.RateOptions{RequestsPerMinute: 600, Buckets: buckets}, Retry: llm.RetryOptions{MaxRetries: -1}}).Wrap(m)
	if _, err := patient.Generate(t.Context(), llm.Request{}); err != nil {
		t.Fatal(err)
	}
	server.Kill(t)
	if _, err := hasty.Generate(t.Context(), llm.Request{}); !errors.As(err, new(*llm.BucketsError)) || m.calls != 1 {
		t.Errorf("without the server: %v, and %d calls", err, m.calls)
	}
	var again sync.WaitGroup
	again.Go(func() {
		time.Sleep(300 * time.Millisecond)
		server.Start(t)
	})
	if _, err := patient.Generate(t.Context(), llm.Request{}); err != nil || m.calls != 2 {
		t.Errorf("over a restart: %v, and %d calls", err, m.calls)
	}
	again.Wait()
}
