package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Bounds of the extract from WordNet. A word's later senses are rare, and relate it to words that
// it seldom means.
const (
	synonymSenses  = 3 // of each part of speech
	hypernymSenses = 1 // of nouns
	hypernymLevels = 2
)

// wordnet derives the table of word relations from the files of WordNet.
func wordnet(flags *flag.FlagSet) learner {
	dict := flags.String("dict", "/usr/share/wordnet", "`folder` with WordNet's index and data files (Debian: wordnet-base)")
	return func(ctx context.Context, _ string) (*learned, error) { return derive(ctx, *dict) }
}

func derive(ctx context.Context, dict string) (*learned, error) {
	w := &wordNet{synsets: map[string]*synset{}, words: map[string]*relations{}}
	for _, part := range []struct{ name, tag string }{{"noun", "n"}, {"verb", "v"}, {"adj", "a"}, {"adv", "r"}} {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := errors.Join(w.data(filepath.Join(dict, "data."+part.name), part.tag), w.index(filepath.Join(dict, "index."+part.name), part.tag), w.exceptions(filepath.Join(dict, part.name+".exc"))); err != nil {
			return nil, fmt.Errorf("reading WordNet: %w", err)
		}
	}
	w.relate()
	table := w.table()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(table)
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("packing the table: %w", err)
	}
	return &learned{"relations.md", map[string][]byte{"relations.gz": packed.Bytes(), "relations.md": []byte(w.page(table, packed.Len()))}}, nil
}

// A synset is a set of words that share a sense.
type synset struct {
	words []string
	up    []string // its hypernyms
	ties  []tie
}

// A tie relates a word of one synset to a word of another.
type tie struct {
	symbol   string // "!" antonym, "+" derivation, "\" pertainym
	from, to int    // the words, from 1; 0 is all of them
	target   string
}

// relations are the relations of one word, as written in the table.
type relations struct {
	senses                                     map[string][]string // synsets by part of speech, the most frequent first
	bases, synonyms, antonyms, derived, hypers map[string]bool
}

type wordNet struct {
	synsets map[string]*synset
	words   map[string]*relations
}

func (w *wordNet) word(s string) *relations {
	r := w.words[s]
	if r == nil {
		r = &relations{senses: map[string][]string{}, bases: map[string]bool{}, synonyms: map[string]bool{}, antonyms: map[string]bool{}, derived: map[string]bool{}, hypers: map[string]bool{}}
		w.words[s] = r
	}
	return r
}

// plainWord reports a single word in lower case.
func plainWord(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" && len(s) > 1
}

// eachFields calls do with the fields of each line except comments.
func eachFields(path string, do func([]string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), " ") {
			continue
		}
		text, _, _ := strings.Cut(lines.Text(), " | ")
		if err := do(strings.Fields(text)); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}

var errShort = errors.New("the line is shorter than its counts say")

// data reads synsets without their glosses.
func (w *wordNet) data(path, tag string) error {
	return eachFields(path, func(f []string) error {
		if len(f) < 4 {
			return errShort
		}
		n, err := strconv.ParseInt(f[3], 16, 32)
		if err != nil {
			return err
		}
		s := &synset{}
		at := 4
		if len(f) <= at+2*int(n) {
			return errShort
		}
		for range n {
			word, _, _ := strings.Cut(f[at], "(") // galore(ip)
			s.words = append(s.words, word)
			at += 2
		}
		pointers, err := strconv.Atoi(f[at])
		if err != nil || len(f) < at+1+4*pointers {
			return cmp.Or(err, errShort)
		}
		at++
		for range pointers {
			symbol, target := f[at], wordClass(f[at+2])+f[at+1]
			ends, err := strconv.ParseInt(f[at+3], 16, 32)
			if err != nil {
				return err
			}
			switch symbol {
			case "@":
				s.up = append(s.up, target)
			case "!", "+", `\`:
				s.ties = append(s.ties, tie{symbol, int(ends >> 8), int(ends & 255), target})
			}
			at += 4
		}
		w.synsets[tag+f[0]] = s
		return nil
	})
}

// wordClass folds satellites of adjectives into them.
func wordClass(tag string) string {
	if tag == "s" {
		return "a"
	}
	return tag
}

// index reads the senses of words, the most frequent first.
func (w *wordNet) index(path, tag string) error {
	return eachFields(path, func(f []string) error {
		if !plainWord(f[0]) {
			return nil
		}
		if len(f) < 6 {
			return errShort
		}
		n, err := strconv.Atoi(f[2])
		if err != nil || len(f) < n {
			return cmp.Or(err, errShort)
		}
		r := w.word(f[0])
		for _, offset := range f[len(f)-n:] {
			r.senses[tag] = append(r.senses[tag], tag+offset)
		}
		return nil
	})
}

// exceptions reads irregular forms.
func (w *wordNet) exceptions(path string) error {
	return eachFields(path, func(f []string) error {
		if len(f) < 2 {
			return errShort
		}
		for _, base := range f[1:] {
			if plainWord(f[0]) && plainWord(base) && f[0] != base {
				w.word(f[0]).bases[base] = true
			}
		}
		return nil
	})
}

// relate works out the relations of all words.
func (w *wordNet) relate() {
	for word, r := range w.words {
		for tag, senses := range r.senses {
			for rank, id := range senses {
				s := w.synsets[id]
				for i, other := range s.words {
					if strings.EqualFold(other, word) {
						w.tied(r, s, i+1)
					} else if rank < synonymSenses && plainWord(other) {
						r.synonyms[other] = true
					}
				}
				if rank < hypernymSenses && tag == "n" {
					w.above(r, s, hypernymLevels)
				}
			}
		}
		for _, list := range r.columns() {
			delete(list, word)
		}
		for other := range r.synonyms {
			delete(r.hypers, other)
		}
	}
}

func (w *wordNet) tied(r *relations, s *synset, at int) {
	for _, t := range s.ties {
		if t.from != at && t.from != 0 {
			continue
		}
		to := w.synsets[t.target]
		if to == nil || t.to > len(to.words) {
			continue
		}
		words := to.words
		if t.to > 0 {
			words = to.words[t.to-1 : t.to]
		}
		for _, other := range words {
			switch {
			case !plainWord(other):
			case t.symbol == "!":
				r.antonyms[other] = true
			default:
				r.derived[other] = true
			}
		}
	}
}

func (w *wordNet) above(r *relations, s *synset, levels int) {
	if levels == 0 {
		return
	}
	for _, id := range s.up {
		up := w.synsets[id]
		if up == nil {
			continue
		}
		for _, other := range up.words {
			if plainWord(other) {
				r.hypers[other] = true
			}
		}
		w.above(r, up, levels-1)
	}
}

// columns returns the relations in the order of the table.
func (r *relations) columns() []map[string]bool {
	return []map[string]bool{r.bases, r.synonyms, r.antonyms, r.derived, r.hypers}
}

// table is a line for each word, sorted, with its relations between tabs: base
// forms, synonyms, antonyms, derivations, hypernyms.
func (w *wordNet) table() []byte {
	var out bytes.Buffer
	for _, word := range sortedKeys(w.words) {
		r := w.words[word]
		out.WriteString(word)
		for _, list := range r.columns() {
			out.WriteByte('\t')
			out.WriteString(strings.Join(sortedKeys(list), " "))
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (w *wordNet) page(table []byte, packed int) string {
	sum := sha256.Sum256(table)
	pairs := 0
	for _, r := range w.words {
		pairs += len(r.antonyms)
	}
	return fmt.Sprintf(`# Relations of words

Derived from WordNet 3.0 by `+"`go run ./eval/train wordnet --dict DIR`"+`; run again on the same files it writes the same table.
LICENSE.md holds WordNet's licence. Glosses and example sentences are not in it.

- words: %d; each is a single word in lower case
- direct antonyms, counted from each side: %d
- synonyms: of the first %d senses of each part of speech; hypernyms: of the first %d sense of nouns, up to %d levels
- table: %d bytes, packed %d; sha256 of the table %s
`, len(w.words), pairs, synonymSenses, hypernymSenses, hypernymLevels, len(table), packed, hex.EncodeToString(sum[:]))
}
