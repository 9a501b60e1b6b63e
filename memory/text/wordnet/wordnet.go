// Package wordnet has relations between English words: synonyms, antonyms, derivations and
// hypernyms. Words are single words in lower case.
//
//	wordnet.Antonyms("increase") // [decrease]
//
// The relations are derived from WordNet 3.0 (Fellbaum, "WordNet: an electronic lexical database",
// MIT Press 1998): see relations.md and LICENSE.md. The package does not know which sense of a word
// a text means, and has no proper names, phrases or glosses.
package wordnet

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:embed relations.gz
var packed []byte

// table unpacks the relations when they are first asked for: a line for each
// word, sorted.
var table = sync.OnceValue(func() []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		all := make([]byte, binary.LittleEndian.Uint32(packed[len(packed)-4:])) // gzip ends with its length
		if _, err = io.ReadFull(z, all); err == nil {
			return all
		}
	}
	panic(fmt.Sprintf("wordnet: unpacking the embedded table: %v", err)) // a broken build
})

// A relation is a column of the table.
type relation int

const (
	bases relation = iota + 1
	synonyms
	antonyms
	derived
	hypernyms
)

// Known reports whether WordNet has a word, as a base form or an irregular one.
func Known(word string) bool { return line(word) != nil }

// Synonyms returns the synonyms of a base form in its first three senses of each part of speech,
// sorted.
func Synonyms(word string) []string { return column(word, synonyms) }

// Antonyms returns the direct antonyms of a base form, in any sense, sorted.
func Antonyms(word string) []string { return column(word, antonyms) }

// Derived returns the words of another part of speech that share a base form's root, sorted.
func Derived(word string) []string { return column(word, derived) }

// Hypernyms returns the more general terms of a noun in its base form: in its first sense, up to
// two levels, sorted. Other words have none.
func Hypernyms(word string) []string { return column(word, hypernyms) }

func column(word string, which relation) []string {
	l := line(word)
	for range which {
		_, rest, ok := bytes.Cut(l, []byte{'\t'})
		if !ok {
			return nil
		}
		l = rest
	}
	cell, _, _ := bytes.Cut(l, []byte{'\t'})
	return strings.Fields(string(cell))
}

// line finds a word's line by bisection; nil for an unknown word.
func line(word string) []byte {
	if word == "" {
		return nil
	}
	t := table()
	lo, hi := 0, len(t)
	for lo < hi {
		start := lo
		if mid := (lo + hi) / 2; mid > lo {
			if at := bytes.LastIndexByte(t[lo:mid], '\n'); at >= 0 {
				start = lo + at + 1
			}
		}
		end := start + bytes.IndexByte(t[start:], '\n')
		key, _, _ := bytes.Cut(t[start:end], []byte{'\t'})
		switch c := strings.Compare(word, string(key)); {
		case c == 0:
			return t[start:end]
		case c < 0:
			hi = start
		default:
			lo = end + 1
		}
	}
	return nil
}

// endings are the inflections of regular words, with their replacements.
var endings = []struct{ of, by string }{
	{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"zes", "z"}, {"ves", "f"}, {"ves", "fe"},
	{"es", "e"}, {"es", ""}, {"s", ""}, {"ied", "y"}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""},
	{"iest", "y"}, {"ier", "y"}, {"est", "e"}, {"est", ""}, {"er", "e"}, {"er", ""},
}

// Bases returns the base forms that a word may be an inflection of, itself first if WordNet has it.
// An unknown word has none.
func Bases(word string) []string {
	var out []string
	add := func(base string) {
		for _, b := range out {
			if b == base {
				return
			}
		}
		out = append(out, base)
	}
	irregular := column(word, bases)
	if Known(word) && (len(irregular) == 0 || len(column(word, synonyms))+len(column(word, hypernyms)) > 0) {
		add(word)
	}
	for _, b := range irregular {
		add(b)
	}
	if len(irregular) > 0 {
		return out
	}
	for _, e := range endings {
		stem, ok := strings.CutSuffix(word, e.of)
		if !ok || len(stem) < 2 {
			continue
		}
		if base := stem + e.by; Known(base) {
			add(base)
		}
		if n := len(stem); e.by == "" && e.of != "s" && e.of != "es" && n > 2 && stem[n-1] == stem[n-2] && Known(stem[:n-1]) {
			add(stem[:n-1]) // stopped
		}
	}
	return out
}
