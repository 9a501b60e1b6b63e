// Package temporaltest runs workers on a Temporal server. It is for tests only, and does not start
// the server.
package temporaltest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"example.com/assay/graph/temporal"
)

// Variable is the environment variable with the address of a server for tests.
const Variable = "ASSAY_TEST_TEMPORAL"

// Address returns the address of the server for tests. Without one it skips the test.
func Address(t testing.TB) string {
	t.Helper()
	address := os.Getenv(Variable)
	if address == "" {
		t.Skipf("set %s to the address of a Temporal server, such as 127.0.0.1:7233; .ci/temporal PORT starts one", Variable)
	}
	return address
}

// Dial connects to the server for tests until the test ends, and creates the search attributes of
// runs.
func Dial(t testing.TB) client.Client {
	t.Helper()
	conn, err := client.Dial(client.Options{HostPort: Address(t), Logger: Silent(), Identity: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := temporal.MakeAttributes(t.Context(), conn, client.DefaultNamespace); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Silent is a logger for Temporal's library that drops everything.
func Silent() log.Logger { return log.NewStructuredLogger(slog.New(slog.DiscardHandler)) }

// Queue returns a task queue of this test alone.
func Queue(t testing.TB) string {
	return fmt.Sprintf("%s %d", t.Name(), time.Now().UnixNano())
}

// Serve runs a worker until the test ends, or stop is called.
func Serve(t testing.TB, conn client.Client, find temporal.Find, o temporal.WorkerOptions) (stop func()) {
	t.Helper()
	w, err := temporal.NewWorker(conn, find, &o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}
