package doctor

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/llm"
)

// A large file of threads is reported together with the command that makes room in it.
func TestDoctorOnManyThreads(t *testing.T) {
	home := t.TempDir()
	ctx := t.Context()
	if f := checkThreads(ctx, home, 1); f.Status != statusOK {
		t.Errorf("without a file: %+v", f)
	}
	saver, err := open.NewStore(config.Settings{Home: home}).Threads(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := saver.Close(); err != nil {
			t.Error(err)
		}
	}()
	if f := checkThreads(ctx, home, 1); f.Status != statusOK { // there is nothing to sweep
		t.Errorf("without a thread: %+v", f)
	}
	for _, thread := range []string{"a", "b"} {
		if err := saver.Commit(ctx, thread, graph.Change{Add: []graph.Checkpoint{{ID: "1", Base: "1"}}}); err != nil {
			t.Fatal(err)
		}
	}
	f := checkThreads(ctx, home, 1)
	if f.Status != statusWarn || !strings.HasPrefix(f.Detail, "2 threads, ") || !strings.HasPrefix(f.Do, "agent threads sweep --older-than ") {
		t.Errorf("a large file: %+v", f)
	}
	if f := checkThreads(ctx, home, largeThreads); f.Status != statusOK || f.Do != "" {
		t.Errorf("a small file: %+v", f)
	}
}

// A user whom Vertex refuses is told how to log in.
func TestDoctorOnVertex(t *testing.T) {
	a, _, _ := clitest.App(t.TempDir())
	s := config.Default(false)
	s.Vertex.Project = "quay"
	if f := modelFailed(a, "gemini:m", s, &llm.StatusError{Status: http.StatusForbidden}); f.Status != statusFail || !strings.HasPrefix(f.Do, "gcloud auth application-default login, ") {
		t.Errorf("the doctor says %+v", f)
	}
	if f := modelFailed(a, "gemini:m", s, errors.New("no credentials")); f.Do != "gcloud auth application-default login" {
		t.Errorf("without credentials the doctor says %+v", f)
	}
}
