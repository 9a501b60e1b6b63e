package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
)

// Whom Vertex refuses is told how to log in.
func TestDoctorOnVertex(t *testing.T) {
	a, _, _ := testApp(t.TempDir())
	s := config.Default(false)
	s.Vertex.Project = "quay"
	if f := modelFailed(a, "gemini:m", s, &llm.StatusError{Status: http.StatusForbidden}); f.Status != statusFail || !strings.HasPrefix(f.Do, "gcloud auth application-default login, ") {
		t.Errorf("the doctor says %+v", f)
	}
	if f := modelFailed(a, "gemini:m", s, errors.New("no credentials")); f.Do != "gcloud auth application-default login" {
		t.Errorf("without credentials the doctor says %+v", f)
	}
}
