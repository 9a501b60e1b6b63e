package temporal_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
)

var record = flag.Bool("record", false, "write the histories of runs on the server to testdata; an earlier one must not change while runs of it may go on")

// keep writes the history of a run for TestReplay.
func keep(t *testing.T, conn client.Client, thread, name string) {
	t.Helper()
	if !*record {
		return
	}
	var all history.History
	for events := conn.GetWorkflowHistory(t.Context(), thread, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		ev, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		all.Events = append(all.Events, ev)
	}
	data, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(&all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".json")
	if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Runs that began with an earlier version of this package go on with this one: each
// history in testdata replays.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("histories %q, error %v", files, err)
	}
	for _, file := range files {
		r := worker.NewWorkflowReplayer()
		temporal.RegisterWorkflows(r)
		if err := r.ReplayWorkflowHistoryFromJSONFile(temporaltest.Silent(), file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
