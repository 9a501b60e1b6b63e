package main

import "testing"

// All sides run the same graph, and see the same events.
func TestServedRuns(t *testing.T) {
	list, done, err := keepings(t.Context(), t.TempDir())
	defer func() {
		if err := done(); err != nil {
			t.Error(err)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		in, err := inProcess(k)
		if err != nil {
			t.Fatal(err)
		}
		on, stop, err := served(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []side{in, on} {
			l, err := s.run(t.Context(), chainLength)
			if err != nil || l.events != 2*chainLength+1 || l.first <= 0 || l.whole < l.first {
				t.Errorf("%s: %+v, %v", s.name, l, err)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}
