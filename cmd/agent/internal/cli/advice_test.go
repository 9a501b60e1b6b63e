package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/document"
	"example.com/assay/memory/qa"
)

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&memory.UnknownCorpusError{Name: "law"}, "; make it with: agent ingest PATH… --corpus law"},
		{&memory.UnknownCorpusError{Name: "law", Known: []string{"tax"}}, ""},
		{&memory.EmptyCorpusError{Name: "law"}, "; run: agent ingest PATH… --corpus law"},
		{&memory.CorruptCorpusError{Name: "law", Err: errors.New("cut")}, "; build it again: agent ingest --rebuild PATH… --corpus law"},
		{&memory.OtherVersionError{Name: "law", Got: 2, Want: 1, Roots: []string{"a b"}}, "; or build it again: agent ingest --rebuild 'a b' --corpus law"},
		{&memory.OtherVersionError{Name: "law", Got: 1, Want: 2}, "; bring it up to date with: agent ingest PATH… --corpus law"},
		{&memory.EmbedderError{Corpus: "law", Made: "x"}, "; to switch the embedder run: agent ingest PATH… --corpus law"},
		{&memory.EarlierFileError{Err: errors.New("gone")}, "; name the directory that holds the file now, or drop the file with --rebuild"},
		{&qa.DamagedError{Path: "/home/qa/law.db", Err: errors.New("cut")}, "agent memory forget --all --corpus law"},
		{&document.InputError{Path: "x.csv", Msg: "no field holds the text", Option: "text_field"}, "; --text-field names it"},
		{&llm.StatusError{Provider: "openai", Status: 401}, "; agent doctor names the variable that holds the key"},
		{&llm.StatusError{Provider: "openai", Status: 500}, ""},
		{errors.New("another"), ""},
	} {
		wrapped := fmt.Errorf("asking: %w", c.err)
		got := withAdvice(withAdvice(wrapped)) // twice wrapped, once advised
		if want := wrapped.Error(); !strings.HasPrefix(got.Error(), want) || !strings.HasSuffix(got.Error(), c.want) || c.want == "" && got.Error() != want {
			t.Errorf("%q, want %q and %q", got, want, c.want)
		}
		if strings.Contains(c.err.Error(), "--") || strings.Contains(c.err.Error(), "agent ") {
			t.Errorf("%T names a flag or verb by itself: %v", c.err, c.err)
		}
		if !errors.Is(got, c.err) {
			t.Errorf("%T is lost", c.err)
		}
	}
}

func TestPathsForAShell(t *testing.T) {
	for want, in := range map[string][]string{"PATH…": nil, "/a /b": {"/a", "/b"}, `'/a b' '/c'\''d'`: {"/a b", "/c'd"}} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
}
