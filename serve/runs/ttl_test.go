package runs_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// threads are the threads that are left.
func threads(t *testing.T, s *runs.Space) (out []string) {
	t.Helper()
	list, err := s.Find(t.Context(), runs.ThreadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range list {
		out = append(out, th.ID)
	}
	return out
}

// Threads that nobody uses go after their time, with all that they have, also over a restart and
// with two servers. One that is used stays, and a busy one, too.
func TestThreadTTL(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		hour := func(o *runs.Options) { o.ThreadTTL = time.Hour }
		s, stop := server(t, folder, hour)
		_, stopOther := server(t, folder, hour)
		var last runs.Run
		for _, c := range []struct {
			name string
			ttl  *runs.TTL
		}{{"default", nil}, {"long", &runs.TTL{After: 24 * time.Hour}}, {"latest", &runs.TTL{After: time.Hour, KeepLatest: true}}, {"used", nil}, {"busy", &runs.TTL{After: time.Minute}}} {
			if _, err := s.CreateThread(t.Context(), runs.ThreadSpec{ID: c.name, TTL: c.ttl}); err != nil {
				t.Fatal(err)
			}
			input := hello
			if c.name == "busy" {
				input = `[{"channel":"wait","op":"set","value":6000000}]` // 100 minutes
			}
			last = begin(t, s, runs.Spec{Graph: "a", Thread: c.name, Input: json.RawMessage(input)})
			if c.name != "busy" {
				wait(t, s, last.ID)
			}
		}
		run, err := s.Runs(t.Context(), "default")
		if err != nil || len(run) != 1 {
			t.Fatal(run, err)
		}
		time.Sleep(59 * time.Minute)
		wait(t, s, begin(t, s, runs.Spec{Graph: "a", Thread: "used", Input: json.RawMessage(hello)}).ID)
		if got := threads(t, s); len(got) != 5 {
			t.Errorf("before their time: %q", got)
		}
		time.Sleep(3 * time.Minute)
		if got, want := threads(t, s), []string{"busy", "latest", "long", "used"}; !slices.Equal(got, want) {
			t.Errorf("after an hour: %q, want %q", got, want)
		}
		if _, err := s.Run(t.Context(), run[0].ID); !errors.As(err, new(*runs.NotFoundError)) {
			t.Errorf("a run of a thread that is gone: %v", err)
		}
		if _, _, err := s.Checkpointer.Load(t.Context(), graph.Key{Thread: "default"}); !errors.Is(err, graph.ErrNoCheckpoint) {
			t.Errorf("its checkpoints: %v", err)
		}
		n := 0
		for _, err := range s.History(t.Context(), "latest", nil) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		if v, _ := state(t, s, "latest"); n != 1 || !slices.Equal(v.Lines, []string{"hello", "x"}) {
			t.Errorf("%d checkpoints, %q", n, v.Lines)
		}
		wait(t, s, last.ID)
		stop()
		stopOther()
		time.Sleep(30 * time.Hour)
		s, _ = server(t, folder, hour)
		if got := threads(t, s); len(got) != 4 {
			t.Errorf("nobody was there, and %q is left", got)
		}
		time.Sleep(2 * time.Minute)
		if got, want := threads(t, s), []string{"latest"}; !slices.Equal(got, want) {
			t.Errorf("after a restart: %q, want %q", got, want)
		}
	})
}

// A run that waits, and the end of one that took long, are uses.
func TestUses(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, _ := server(t, folder, func(o *runs.Options) { o.ThreadTTL = 10 * time.Minute })
		begin(t, s, runs.Spec{Graph: "a", Thread: "long", Create: true, Input: json.RawMessage(`[{"channel":"wait","op":"set","value":480000}]`)}) // 8 minutes
		begin(t, s, runs.Spec{Graph: "a", Thread: "waits", Create: true, Delay: time.Hour, Input: json.RawMessage(hello)})
		for _, c := range []struct {
			after time.Duration
			want  []string
		}{{15 * time.Minute, []string{"long", "waits"}}, {20 * time.Minute, []string{"waits"}}, {65 * time.Minute, []string{"waits"}}, {75 * time.Minute, nil}} {
			time.Sleep(time.Until(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(c.after)))
			if got := threads(t, s); !slices.Equal(got, c.want) {
				t.Errorf("after %v: %q, want %q", c.after, got, c.want)
			}
		}
	})
}

// A run on a thread that another server is removing waits for that, and finds it gone.
func TestUsedWhileRemoved(t *testing.T) {
	folder := t.TempDir()
	s, _ := server(t, folder, nil)
	other, _ := server(t, folder, nil)
	th, err := s.CreateThread(t.Context(), runs.ThreadSpec{TTL: &runs.TTL{After: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	release, err := other.Checkpointer.Lock(t.Context(), "/expire/"+th.ID) // as expire does
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan error)
	go func() {
		_, err := s.Begin(t.Context(), runs.Spec{Graph: "a", Thread: th.ID, Input: json.RawMessage(hello)})
		begun <- err
	}()
	select {
	case err := <-begun:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	err = other.DeleteThread(t.Context(), th.ID)
	release()
	if got := <-begun; err != nil || !errors.As(got, new(*runs.NotFoundError)) {
		t.Errorf("%v, %v", err, got)
	}
}

// A thread can be given another time, and one that is over can be used until it is gone.
func TestSetTTL(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, _ := server(t, folder, nil)
		for _, name := range []string{"a", "b", "c"} {
			if _, err := s.CreateThread(t.Context(), runs.ThreadSpec{ID: name, TTL: &runs.TTL{After: 10 * time.Minute}}); err != nil {
				t.Fatal(err)
			}
		}
		if th, err := s.SetTTL(t.Context(), "a", nil); err != nil || !th.Expires().IsZero() {
			t.Errorf("%v, %v", th.Expires(), err)
		}
		time.Sleep(10*time.Minute + 10*time.Second) // it is over, and nobody has looked
		begin(t, s, runs.Spec{Graph: "a", Thread: "b", Input: json.RawMessage(hello)})
		time.Sleep(5 * time.Minute)
		if got, want := threads(t, s), []string{"a", "b"}; !slices.Equal(got, want) {
			t.Errorf("left: %q, want %q", got, want)
		}
		for _, after := range []time.Duration{0, -1, 1 << 62} {
			if _, err := s.SetTTL(t.Context(), "a", &runs.TTL{After: after}); !errors.As(err, new(*runs.InvalidError)) {
				t.Errorf("%v: %v", after, err)
			}
			if _, err := s.CreateThread(t.Context(), runs.ThreadSpec{TTL: &runs.TTL{After: after}}); !errors.As(err, new(*runs.InvalidError)) {
				t.Errorf("%v: %v", after, err)
			}
		}
	})
}
