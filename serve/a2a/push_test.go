package a2a_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/go-cmp/cmp"

	"example.com/assay/serve"
)

// An address is told of a task from its beginning over its question to its end, with what proves
// who tells.
func TestPush(t *testing.T) {
	told := make(chan string, 20)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body a2a.StreamResponse
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		told <- fmt.Sprint(r.Header.Get("Content-Type"), " ", r.Header.Get("Authorization"), " ", r.Header.Get("A2A-Notification-Token"), " ", line(body.Event))
	}))
	t.Cleanup(receiver.Close)
	s := served(t, func(o *serve.Options) { o.Runs.WebhookHosts = []string{"127.0.0.1"} })
	c := s.client("", annToken)
	in := asking("ask")
	in.Config = &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{URL: receiver.URL, Token: "secret", Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "mine"}}}
	asks := sent(t, c, in)
	next := func(n int) (out []string) {
		for range n {
			out = append(out, <-told)
		}
		slices.Sort(out) // they are sent side by side
		return out
	}
	const head = "application/a2a+json Bearer mine secret "
	if diff := cmp.Diff([]string{head + "TASK_STATE_WORKING", head + "task TASK_STATE_INPUT_REQUIRED; says Who is it?; ROLE_USER ask"}, next(2)); diff != "" {
		t.Error(diff)
	}
	list, err := c.ListTaskPushConfigs(t.Context(), &a2a.ListTaskPushConfigRequest{TaskID: asks.ID})
	if err != nil || len(list) != 1 || list[0].URL != receiver.URL || list[0].TaskID != asks.ID {
		t.Fatalf("%+v, %v", list, err)
	}
	second, err := c.CreateTaskPushConfig(t.Context(), &a2a.PushConfig{TaskID: asks.ID, ID: "two", URL: receiver.URL})
	if err != nil || second.ID != "two" {
		t.Fatal(second, err)
	}
	for range 2 {
		if err := c.DeleteTaskPushConfig(t.Context(), &a2a.DeleteTaskPushConfigRequest{TaskID: asks.ID, ID: list[0].ID}); err != nil {
			t.Error(err)
		}
	}
	if one, err := c.GetTaskPushConfig(t.Context(), &a2a.GetTaskPushConfigRequest{TaskID: asks.ID, ID: "two"}); err != nil || one.URL != receiver.URL {
		t.Error(one, err)
	}
	sent(t, c, reply(asks, a2a.NewTextPart("ann")))
	got := next(2)
	if got[0] != "application/a2a+json   TASK_STATE_WORKING" || !strings.HasPrefix(got[1], "application/a2a+json   task TASK_STATE_COMPLETED; ") || !strings.Contains(got[1], "They said: it is ann") {
		t.Error(got)
	}

	for name, do := range map[string]func() error{
		"a deleted one": func() error {
			_, err := c.GetTaskPushConfig(t.Context(), &a2a.GetTaskPushConfigRequest{TaskID: asks.ID, ID: list[0].ID})
			return err
		},
		"another tenant's": func() error {
			_, err := s.client("", bobToken).ListTaskPushConfigs(t.Context(), &a2a.ListTaskPushConfigRequest{TaskID: asks.ID})
			return err
		},
	} {
		if err := do(); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, one := range []a2a.PushConfig{
		{URL: "http://127.0.0.2/"}, {URL: "http://10.0.0.1/"}, {URL: "file:///etc/passwd"}, {URL: "http://a:b@example.com"}, {},
		{URL: receiver.URL, Token: "a\nb"}, {URL: receiver.URL, Auth: &a2a.PushAuthInfo{Scheme: "Bearer\r\nX: y"}}, {URL: receiver.URL, ID: "\x00"},
	} {
		one.TaskID = asks.ID
		if _, err := c.CreateTaskPushConfig(t.Context(), &one); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%+v: %v", one, err)
		}
	}
	for i := range 10 {
		if _, err = c.CreateTaskPushConfig(t.Context(), &a2a.PushConfig{TaskID: asks.ID, ID: fmt.Sprint(i), URL: receiver.URL}); err != nil {
			break
		}
	}
	if !errors.Is(err, a2a.ErrInvalidParams) {
		t.Errorf("more than ten: %v", err)
	}
}
