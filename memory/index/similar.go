package index

import (
	"fmt"
	"strings"
	"sync"

	"github.com/blevesearch/vellum"
	"github.com/blevesearch/vellum/levenshtein"
)

// automata build what recognises the words within a number of errors of another;
// letters that are swapped are one.
var automata = [...]func() (*levenshtein.LevenshteinAutomatonBuilder, error){
	1: sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
	}),
	2: sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(2, true)
	}),
}

// automaton recognises the words that few errors, 1 or 2, make of a word.
func automaton(word string, errors int) (vellum.Automaton, error) {
	builder, err := automata[errors]()
	if err == nil {
		var dfa vellum.Automaton
		if dfa, err = builder.BuildDfa(word, uint8(errors)); err == nil {
			return dfa, nil
		}
	}
	return nil, fmt.Errorf("looking for terms like %q: %w", word, err)
}

// similar appends the terms of a field that few errors, 1 or 2, make of a word and
// that begin with its first letter.
func (s *store) similar(field, word string, errors int, out []string) ([]string, error) {
	dfa, err := automaton(word, errors)
	if err != nil {
		return out, err
	}
	first := string(firstRune(word))
	for _, p := range s.parts {
		dict, err := p.segment.Dictionary(field)
		if err != nil {
			return out, s.changed(err)
		}
		for it := dict.AutomatonIterator(dfa, []byte(first), []byte(first+"\U0010FFFF")); ; {
			entry, err := it.Next()
			if err != nil {
				return out, s.changed(err)
			}
			if entry == nil {
				break
			}
			out = append(out, strings.Clone(entry.Term))
		}
	}
	return out, nil
}
