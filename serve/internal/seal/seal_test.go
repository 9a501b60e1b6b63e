package seal

import (
	"bytes"
	"context"
	"testing"

	"example.com/assay/graph/store/memory"
)

type state struct {
	Thread string
	IDs    map[string]bool
}

// A state is opened only as it was sealed: by the same key, for the same tenant and tool.
func TestSeal(t *testing.T) {
	key := bytes.Repeat([]byte{7}, KeySize)
	s, err := New(key)
	if err != nil {
		t.Fatal(err)
	}
	in := state{Thread: "t", IDs: map[string]bool{"q": true}}
	text, err := s.Close("ann/tool", in)
	if err != nil {
		t.Fatal(err)
	}
	var out state
	if err := s.Open("ann/tool", text, &out); err != nil || out.Thread != "t" || !out.IDs["q"] {
		t.Errorf("%+v, %v", out, err)
	}
	if again, err := s.Close("ann/tool", in); err != nil || again == text {
		t.Errorf("it is sealed alike twice, error %v", err)
	}
	other, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if other.Open("ann/tool", text, &out) == nil {
		t.Error("another key opens it")
	}
	for _, purpose := range []string{"bob/tool", "ann/other", "ann/too", ""} {
		if s.Open(purpose, text, &out) == nil {
			t.Errorf("it is opened for %q", purpose)
		}
	}
	for i := range text {
		changed := []byte(text)
		if changed[i] = 'A'; text[i] == 'A' {
			changed[i] = 'B'
		}
		if i < len(text)-1 && s.Open("ann/tool", string(changed), &out) == nil { // the last has bits that mean nothing
			t.Errorf("it is opened with another byte %d", i)
		}
	}
	for _, short := range []string{"", "x", text[:10], text + "x", "-TAMPERED"} {
		if s.Open("ann/tool", short, &out) == nil {
			t.Errorf("%q is opened", short)
		}
	}
	if _, err := New([]byte("short")); err == nil {
		t.Error("a short key is taken")
	}
}

// The key of a store is made once.
func TestStoredKey(t *testing.T) {
	rows, err := memory.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := StoredKey(context.Background(), rows)
	if err != nil || len(first) != KeySize {
		t.Fatalf("%x, %v", first, err)
	}
	again, err := StoredKey(context.Background(), rows)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("%x, then %x, %v", first, again, err)
	}
}
