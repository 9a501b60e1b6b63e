package runs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/assay/serve/runs"
)

// A run that is rolled back leaves the thread as it was: without states, with an answer, with a
// question.
func TestRollback(t *testing.T) {
	folder := t.TempDir()
	s, _ := server(t, folder, nil)
	slow := json.RawMessage(`[{"channel":"lines","op":"add","value":["no"]},{"channel":"wait","op":"set","value":60000}]`)
	history := func(thread string) (out []string) {
		for at, err := range s.History(t.Context(), thread, nil) {
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(at.Key.ID, at.Next, string(at.State))
			for _, task := range at.Tasks {
				text += fmt.Sprint(" ", task.Node, task.Done, len(task.Interrupts), task.Child.ID)
			}
			out = append(out, text)
		}
		return out
	}
	for _, c := range []struct {
		name  string
		first func(thread string)
		spec  runs.Spec
	}{
		{"new", func(string) {}, runs.Spec{Graph: "a", Input: slow}},
		{"idle", func(th string) {
			wait(t, s, begin(t, s, runs.Spec{Graph: "a", Thread: th, Input: json.RawMessage(hello)}).ID)
		}, runs.Spec{Graph: "a", Input: slow}},
		{"question", func(th string) {
			wait(t, s, begin(t, s, runs.Spec{Graph: "asks", Thread: th, Input: json.RawMessage(hello)}).ID)
		}, runs.Spec{Graph: "asks", Input: slow}},
		{"answer", func(th string) {
			wait(t, s, begin(t, s, runs.Spec{Graph: "asks", Thread: th, Input: json.RawMessage(`[{"channel":"lines","op":"add","value":["hi"]},{"channel":"wait","op":"set","value":300}]`)}).ID)
		}, runs.Spec{Graph: "asks", Resume: true, Answers: map[string]json.RawMessage{"": json.RawMessage(`"Ann"`)}}},
		{"answer inside", func(th string) {
			wait(t, s, begin(t, s, runs.Spec{Graph: "outer", Thread: th, Input: json.RawMessage(hello)}).ID)
		}, runs.Spec{Graph: "outer", Resume: true, Answers: map[string]json.RawMessage{"": json.RawMessage(`"Ann"`)}}},
	} {
		for _, how := range []string{"cancelled", "by the next"} {
			t.Run(c.name+" "+how, func(t *testing.T) {
				th, err := s.CreateThread(t.Context(), runs.ThreadSpec{})
				if err != nil {
					t.Fatal(err)
				}
				c.first(th.ID)
				was, err := s.Thread(t.Context(), th.ID)
				if err != nil {
					t.Fatal(err)
				}
				before := history(th.ID)
				spec := c.spec
				spec.Thread = th.ID
				if spec.Answers != nil {
					spec.Answers = map[string]json.RawMessage{}
					for _, list := range was.Interrupts {
						spec.Answers[list[0].ID] = json.RawMessage(`"Ann"`)
					}
				}
				r := begin(t, s, spec)
				time.Sleep(100 * time.Millisecond)
				if how == "cancelled" {
					err = s.Rollback(t.Context(), r.ID)
				} else {
					wait(t, s, begin(t, s, runs.Spec{Graph: spec.Graph, Thread: th.ID, Strategy: runs.Undo, Input: json.RawMessage(hello)}).ID)
				}
				if err != nil {
					t.Fatal(err)
				}
				if left, err := s.Wait(t.Context(), r.ID); !errors.As(err, new(*runs.NotFoundError)) {
					t.Errorf("the run is left: %+v, %v", left, err)
				}
				after := history(th.ID)
				if how != "cancelled" {
					if len(after) < len(before) || !slices.Equal(after[len(after)-len(before):], before) {
						t.Errorf("history %q, before %q", after, before)
					}
					if v, _ := state(t, s, th.ID); slices.Contains(v.Lines, "no") {
						t.Errorf("what was undone is left: %q", v.Lines)
					}
					return
				}
				if !slices.Equal(after, before) {
					t.Errorf("history %q, before %q", after, before)
				}
				is, err := s.Thread(t.Context(), th.ID)
				if err != nil || is.Status != was.Status || string(is.Values) != string(was.Values) || len(is.Interrupts) != len(was.Interrupts) {
					t.Errorf("the thread is %+v, was %+v, %v", is, was, err)
				}
				if err := s.Rollback(t.Context(), r.ID); !errors.As(err, new(*runs.NotFoundError)) {
					t.Errorf("again: %v", err)
				}
			})
		}
	}
}

// A server that dies before it has undone a run leaves that to the next.
func TestRollbackAgain(t *testing.T) {
	folder := t.TempDir()
	s, stop := server(t, folder, nil)
	r := begin(t, s, runs.Spec{Graph: "asks", Input: json.RawMessage(`[{"channel":"lines","op":"add","value":["no"]},{"channel":"wait","op":"set","value":200}]`)})
	time.Sleep(100 * time.Millisecond)
	stop() // it goes on later
	if err := runs.MarkUndone(t.Context(), openHome(t, folder).opts.Store, runs.DefaultTenant, r); err != nil {
		t.Fatal(err)
	}
	s, _ = server(t, folder, nil)
	if _, err := s.Wait(t.Context(), r.ID); !errors.As(err, new(*runs.NotFoundError)) {
		t.Errorf("the run is left: %v", err)
	}
	if th, err := s.Thread(t.Context(), r.Thread); err != nil || th.Status != runs.Idle || th.Values != nil {
		t.Errorf("the thread is %+v, %v", th, err)
	}
	for at, err := range s.History(t.Context(), r.Thread, nil) {
		t.Errorf("its state is left: %v, %v", at, err)
	}
}
