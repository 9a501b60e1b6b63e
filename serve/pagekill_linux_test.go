package serve_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// pageEvents reads the events of a run's page behind one, until the stream ends, or breaks, or
// has so many. It returns them as lines, and the ID of the last.
func pageEvents(t *testing.T, url, last string, most int) (lines []string, _ string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", last)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	for in := bufio.NewScanner(answer.Body); len(lines) < most && in.Scan(); {
		line := in.Text()
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			last = id
		}
		if strings.HasPrefix(line, "data: ") {
			lines = append(lines, last+" "+line)
		}
	}
	return lines, last
}

// A server is killed while a page reads a run. The page comes back to the next server, which
// goes on with the run, and has in the end each event once: those that one sees who reads it
// later.
func TestPageOverKill(t *testing.T) {
	o := childOptions{Folder: t.TempDir(), AtOnce: 2, Page: true}
	c := startChild(t, o)
	var made struct {
		Thread string `json:"thread_id"`
		Run    string `json:"run_id"`
	}
	for _, call := range [][2]string{{"/threads", "{}"}, {"/threads/%/runs", `{"assistant_id":"ten","input":{"wait":60}}`}} {
		answer, err := http.DefaultClient.Do(post(c.url+strings.Replace(call[0], "%", made.Thread, 1), call[1]))
		if err == nil {
			err = errors.Join(json.NewDecoder(answer.Body).Decode(&made), answer.Body.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	path := "/ui/runs/" + made.Run + "/events"
	seen, last := pageEvents(t, c.url+path, "", 5)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // it was killed
	c = startChild(t, o)
	defer c.end(t)
	deadline := time.Now().Add(30 * time.Second) // the run is taken up again
	for len(seen) == 5 || !strings.Contains(seen[len(seen)-1], `"text":"done"`) {
		more, id := pageEvents(t, c.url+path, last, 1000)
		seen, last = append(seen, more...), id
		if time.Now().After(deadline) {
			t.Fatalf("the run does not end:\n%s", strings.Join(seen, "\n"))
		}
	}
	whole, _ := pageEvents(t, c.url+path, "", 1000)
	if !slices.Equal(seen, whole) {
		t.Errorf("over the kill:\n%s\nlater:\n%s", strings.Join(seen, "\n"), strings.Join(whole, "\n"))
	}
	if all := strings.Join(whole, "\n"); !strings.Contains(all, "The run goes on") || strings.Count(all, `"node":"n9"`) != 2 {
		t.Errorf("the events:\n%s", all)
	}
}
