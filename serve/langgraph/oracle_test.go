//go:build unix

package langgraph_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/internal/npmtest"
)

// driven is what the clients of a script get of a server, by scenario.
func driven(t *testing.T, dir, script, url string) (out map[string]any) {
	t.Helper()
	drive(t, dir, script, url, &out)
	return out
}

// drive runs a script with a server, and reads what it prints.
func drive(t *testing.T, dir, script, url string, out any) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "node", script, url)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
}

// LangGraph's SDK does here what LangGraph's development server cannot do.
func TestCronsOfSDK(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it makes this test install LangGraph's SDK")
	}
	if testing.Short() {
		t.Skip("it waits for the next minute")
	}
	var wrong []string
	drive(t, npmtest.Clients(t, "oracle"), "crons.mjs", served(t).URL, &wrong)
	for _, text := range wrong {
		t.Error(text)
	}
}

// allowed are the differences that are there for a reason. The reason stands in the
// document, beside what is said here.
var allowed = []struct{ where, says string }{
	{`^fan\[\d+\]\[1\]\.input`, "**Inputs of Sends.**"},
	{`\.history\[\d+\]\.tasks\[\d+\]\.interrupts`, "**Answered questions.**"},
	{`\[1\]\.payload\.(config|parent_config|metadata|tasks\[\d+\]\.interrupts)`, "**Debug.**"},
	{`^nested\..*\.(checkpoint_map|metadata\.(checkpoint_|langgraph_|parents))`, "**States of graphs inside nodes.**"},
	{`^agent updates\.streamed.*\.tool_call_chunks`, "**Chunks in updates.**"},
	{`^refused\.thread$`, "**Missing threads.**"},
}

// What clients read of this server is what they read of LangGraph's.
func TestOracle(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it makes this test compare with LangGraph's server, which it installs")
	}
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	reasons, err := os.ReadFile("../../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := npmtest.Clients(t, "oracle")
	own, other := served(t).URL, npmtest.LangGraph(t, dir)
	found := map[string]bool{}
	for _, script := range []string{"drive.mjs", "hooks.mjs"} {
		ours, theirs := leaves("", driven(t, dir, script, own)), leaves("", driven(t, dir, script, other))
		if len(theirs) < 100 {
			t.Errorf("%s: only %d values", script, len(theirs))
		}
		for _, where := range slices.Sorted(maps.Keys(union(ours, theirs))) {
			if ours[where] == theirs[where] {
				continue
			}
			reason := reasonOf(where)
			if found[reason] = true; reason == "" {
				t.Errorf("%s is %s, with LangGraph's server %s", where, cmp.Or(ours[where], "absent"), cmp.Or(theirs[where], "absent"))
			}
		}
	}
	for _, a := range allowed {
		if !found[a.says] {
			t.Errorf("the difference %q is gone: allow it no more", a.says)
		}
		if !bytes.Contains(reasons, []byte(a.says)) {
			t.Errorf("docs/serving.md has no reason for the difference %q", a.says)
		}
	}
}

func reasonOf(where string) string {
	for _, a := range allowed {
		if regexp.MustCompile(a.where).MatchString(where) {
			return a.says
		}
	}
	return ""
}

// leaves are the values in JSON that have none inside, by their places.
func leaves(at string, v any) map[string]string {
	out := map[string]string{}
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			maps.Copy(out, leaves(strings.TrimPrefix(at+"."+name, "."), inner))
		}
	case []any:
		for i, inner := range v {
			maps.Copy(out, leaves(fmt.Sprintf("%s[%d]", at, i), inner))
		}
	}
	if len(out) == 0 {
		data, _ := json.Marshal(v) // it was read from JSON
		out[at] = string(data)
	}
	return out
}

func union[K comparable, V any](a, b map[K]V) map[K]V {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
