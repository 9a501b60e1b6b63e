package storage

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
	"github.com/blevesearch/vellum/levenshtein"
)

// automata build automata that recognise the words within a number of errors of another.
// Two letters that are swapped are one error.
var automata = [...]func() (*levenshtein.LevenshteinAutomatonBuilder, error){
	1: sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
	}),
	2: sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(2, true)
	}),
}

// automaton recognises the words that few errors, 1 or 2, make of a word. It returns the
// word's first letter, too.
func automaton(word string, errors int) (dfa vellum.Automaton, first string, err error) {
	_, size := utf8.DecodeRuneInString(word)
	builder, err := automata[errors]()
	if err == nil {
		if dfa, err = builder.BuildDfa(word, uint8(errors)); err == nil {
			return dfa, word[:size], nil
		}
	}
	return nil, "", fmt.Errorf("looking for terms like %q: %w", word, err)
}

// Similar appends the terms of a field that few errors, 1 or 2, make of a word and
// that begin with its first letter.
func (s *Store) Similar(field, word string, errors int, out []string) ([]string, error) {
	dfa, first, err := automaton(word, errors)
	if err != nil {
		return out, err
	}
	for _, p := range s.parts {
		dict, err := p.segment.Dictionary(field)
		if err != nil {
			return out, s.damaged(err)
		}
		for it := dict.AutomatonIterator(dfa, []byte(first), []byte(first+"\U0010FFFF")); ; {
			entry, err := it.Next()
			if err != nil {
				return out, s.damaged(err)
			}
			if entry == nil {
				break
			}
			out = append(out, strings.Clone(entry.Term))
		}
	}
	return out, nil
}

// Similar appends those of sorted terms that few errors, 1 or 2, make of a word and that
// begin with its first letter.
func Similar(terms []string, word string, errors int, out []string) ([]string, error) {
	dfa, first, err := automaton(word, errors)
	if err != nil {
		return out, err
	}
	at, _ := slices.BinarySearch(terms, first)
	for ; at < len(terms) && strings.HasPrefix(terms[at], first); at++ {
		if accepts(dfa, terms[at]) {
			out = append(out, terms[at])
		}
	}
	return out, nil
}

func accepts(dfa vellum.Automaton, term string) bool {
	at := dfa.Start()
	for i := 0; i < len(term); i++ {
		if at = dfa.Accept(at, term[i]); !dfa.CanMatch(at) {
			return false
		}
	}
	return dfa.IsMatch(at)
}
