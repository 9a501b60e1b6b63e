package index

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

const (
	titleWeight = 2  // occurrences that a word of the title counts for
	nameWeight  = 3  // the same for a document's name in the document's bag
	maxTerm     = 64 // bytes; longer runs are cut, they are not words
	hashSize    = 16 // bytes kept of a passage's hash
)

// An analysed passage is one that is ready to be stored.
type analysed struct {
	draft
	json   []byte
	bag    []lsa.Term // terms of the body, with the title's words repeated
	pairs  []uint64   // keys of the pairs of adjacent terms
	meta   []string   // terms of its metadata
	labels citation.Labels
}

// analyse prepares passages, with their labels.
func analyse(passages []state.Passage, labels []citation.Labels, stems stemmer) ([]analysed, error) {
	out := make([]analysed, len(passages))
	for i := range passages {
		var err error
		if out[i], err = analyseOne(passages[i], stems); err != nil {
			return nil, err
		}
		out[i].labels = labels[i]
		if i > 0 { // neighbours share these, and drafts are many
			same, d := &out[i-1].draft, &out[i].draft
			d.doc, d.title, d.source = shared(same.doc, d.doc), shared(same.title, d.title), shared(same.source, d.source)
		}
	}
	return out, nil
}

// shared is b, as a where they are equal.
func shared(a, b string) string {
	if a == b {
		return a
	}
	return b
}

func analyseOne(p state.Passage, stems stemmer) (analysed, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return analysed{}, fmt.Errorf("encoding passage %q: %w", p.ID, err)
	}
	a := analysed{json: data, meta: metaTerms(p)}
	l := languageOf(p)
	body, title := stems.terms(l, p.Text), stems.terms(l, p.Title)
	a.pairs = appendPairs(appendPairs(make([]uint64, 0, len(body)+len(title)), body), title)
	all := slices.Clone(body)
	for range titleWeight {
		all = append(all, title...)
	}
	if heading := lastHeading(p); heading != "" {
		all = append(all, stems.terms(l, heading)...)
	}
	all = stems.appendLabels(all, l, p.Blocks)
	a.bag = lsa.Bag(all)
	// What is kept until the end must not hold the text of a whole file.
	a.draft = draft{
		id: strings.Clone(p.ID), doc: strings.Clone(p.Doc), title: strings.Clone(p.Title), source: strings.Clone(p.Source),
		length: len(all), bigrams: len(a.pairs), start: max(0, p.Start), hash: hashOf(data),
	}
	return a, nil
}

// hashOf is what a stored passage is recognised by.
func hashOf(data []byte) (hash [hashSize]byte) {
	sum := sha256.Sum256(data)
	copy(hash[:], sum[:])
	return hash
}

// A stemmer remembers the stems of words: a corpus has few words and many
// occurrences of them. It is of one goroutine.
type stemmer map[string]string

// terms are the stems of s without the stop words of a language.
func (m stemmer) terms(l text.Language, s string) []string {
	tokens := text.Tokens(s)
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		word := l.Word(t.Text)
		if l.Stops(word) {
			continue
		}
		key := word
		if l != text.English {
			key = string(l) + "\x00" + word
		}
		stem, known := m[key]
		if !known {
			stem = strings.Clone(bounded(l.Stem(word)))
			if len(m) < maxStems {
				m[strings.Clone(key)] = stem
			}
		}
		out = append(out, stem)
	}
	return out
}

// appendLabels adds to the terms of a passage those of its blocks' labels, headings,
// numbers and columns that it has not, each once: what stands above the passage says
// what is in it.
func (m stemmer) appendLabels(all []string, l text.Language, blocks []state.Block) []string {
	if len(blocks) == 0 {
		return all
	}
	has := make(map[string]bool, len(all))
	for _, term := range all {
		has[term] = true
	}
	read := map[string]bool{"": true}
	add := func(s string) {
		if read[s] {
			return
		}
		read[s] = true
		for _, term := range m.terms(l, s) {
			if !has[term] {
				has[term] = true
				all = append(all, term)
			}
		}
	}
	for _, b := range blocks {
		add(b.Label)
		add(b.Under)
		add(b.Number)
		for _, c := range b.Cells {
			add(c.Header)
		}
	}
	return all
}

// bounded is a term of at most maxTerm bytes.
func bounded(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	n := maxTerm
	for n > 0 && !utf8.RuneStart(term[n]) {
		n--
	}
	return term[:n]
}

// terms are the stems of s without stop words, of bounded length.
func terms(s string, stop text.StopList) []string {
	list := text.Terms(s, stop)
	for i, t := range list {
		list[i] = bounded(t)
	}
	return list
}

// bigrams joins adjacent terms. No term holds a space.
func bigrams(list []string) []string {
	var out []string
	for i := 1; i < len(list); i++ {
		out = append(out, list[i-1]+" "+list[i])
	}
	return out
}

// lastHeading is the innermost heading above a passage, unless it repeats the
// document's title.
func lastHeading(p state.Passage) string {
	_, last, found := text.CutLast(p.Section, " > ")
	if !found {
		last = p.Section
	}
	if strings.EqualFold(strings.TrimSpace(last), strings.TrimSpace(p.Title)) {
		return ""
	}
	return last
}

// fileName turns the name of a file into words: "acmeCo_NDA-2.txt" gives
// "acme Co NDA 2".
func fileName(source string) string {
	base := path.Base(source)
	base = strings.TrimSuffix(base, path.Ext(base))
	var b strings.Builder
	var last rune
	for _, r := range base {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last), unicode.IsDigit(r) != unicode.IsDigit(last) && last != ' ' && last != 0:
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// parallel runs fn for 0 … n-1 on all processors and waits. fn must write
// only what belongs to its index.
func parallel(n int, fn func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				fn(i)
			}
		})
	}
	wg.Wait()
}
