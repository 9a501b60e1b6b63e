package glossary_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/glossary"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

const contract = "# Terms\n\n“Tenant” means the person who signs this agreement.\n\n“Sub-tenant” means a person to whom the Tenant lets a room.\n\nRent is paid monthly.\n"

func corpus(t *testing.T) *memory.Corpus {
	t.Helper()
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "lease.md")
	if err := os.WriteFile(file, []byte(contract), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "c", Paths: []string{file}}); err != nil {
		t.Fatal(err)
	}
	c, err := memory.Open(home, "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// asked runs the pipeline as its callers do, without the type of its state.
func asked(t *testing.T, ctx context.Context, c pipeline.Corpus, term string) (*glossary.Answer, error) {
	t.Helper()
	made, err := glossary.About().Make(pipeline.Bench{Corpus: c})
	if err != nil {
		t.Fatal(err)
	}
	in, err := made.Input(conversation.Turn{Text: term})
	if err != nil {
		t.Fatal(err)
	}
	last, _, failed := follow.App(ctx, made.App, in, nil)
	answer, err := made.Answer(last, failed, c.(pipeline.Library))
	if err != nil {
		t.Fatal(err)
	}
	return answer.(*glossary.Answer), failed
}

// A definition is the bytes of its file. A term that stands in others comes alone.
func TestDefinitions(t *testing.T) {
	c := corpus(t)
	for term, want := range map[string][]string{"*": {"Sub-tenant", "Tenant"}, "tenant": {"Tenant"}, "sub": {"Sub-tenant"}, "rent": nil} {
		a, err := asked(t, t.Context(), c, term)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range a.Terms {
			got = append(got, d.Term)
			if s := a.Sources[d.Source-1]; contract[d.Quote.Start:d.Quote.End] != d.Quote.Text || s.Stale != "" {
				t.Errorf("%s is quoted as %q, %s", d.Term, d.Quote.Text, s.Stale)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", term, got, want)
		}
		if ended := a.Status == state.StatusAnswered; ended != (want != nil) {
			t.Errorf("%q ends %s", term, a.Status)
		}
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := glossary.About().Proof(data)
		if err != nil || len(shown.Findings) != len(want) || want != nil && !strings.Contains(shown.Findings[0].Quotes[0].Text, "means") {
			t.Errorf("%q: %+v %v", term, shown.Findings, err)
		}
	}
}

// faulty fails at its nth call.
type faulty struct {
	*memory.Corpus
	calls int
}

var errDisk = errors.New("the disk is gone")

func (f *faulty) fails() bool { f.calls--; return f.calls < 0 }

func (f *faulty) PassageIDs() ([]string, error) {
	if f.fails() {
		return nil, errDisk
	}
	return f.Corpus.PassageIDs()
}

func (f *faulty) Passage(id string) (state.Passage, bool, error) {
	if f.fails() {
		return state.Passage{}, false, errDisk
	}
	return f.Corpus.Passage(id)
}

// A corpus that cannot be read is an error, and no empty list; so is a run that is stopped.
func TestFaults(t *testing.T) {
	c := corpus(t)
	for calls := range 2 {
		if a, err := asked(t, t.Context(), &faulty{c, calls}, "*"); !errors.Is(err, errDisk) || a.Status == state.StatusNoEvidence || len(a.Terms) > 0 {
			t.Errorf("call %d: %s, %v", calls, a.Status, err)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errDisk)
	if _, err := asked(t, ctx, c, "*"); err == nil {
		t.Error("a stopped run answers")
	}
}
