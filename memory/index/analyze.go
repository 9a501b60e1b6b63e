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
	passage state.Passage
	json    []byte
	hash    [hashSize]byte
	terms   []string // of the body, with the title's words repeated
	bigrams []string
	bag     []lsa.Term // of terms
	labels  citation.Labels
}

// analyse prepares passages, with their labels, on all processors; results
// come by index.
func analyse(passages []state.Passage, labels []citation.Labels) ([]analysed, error) {
	out := make([]analysed, len(passages))
	errs := make([]error, len(passages))
	parallel(len(passages), func(i int) {
		out[i], errs[i] = analyseOne(passages[i])
		out[i].labels = labels[i]
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func analyseOne(p state.Passage) (analysed, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return analysed{}, fmt.Errorf("encoding passage %q: %w", p.ID, err)
	}
	a := analysed{passage: p, json: data}
	sum := sha256.Sum256(data)
	copy(a.hash[:], sum[:])
	body, title := terms(p.Text, text.DocStops), terms(p.Title, text.DocStops)
	a.bigrams = append(bigrams(body), bigrams(title)...)
	a.terms = slices.Clone(body)
	for range titleWeight {
		a.terms = append(a.terms, title...)
	}
	if heading := lastHeading(p); heading != "" {
		a.terms = append(a.terms, terms(heading, text.DocStops)...)
	}
	a.bag = lsa.Bag(a.terms)
	return a, nil
}

// terms are the stems of s without stop words, of bounded length.
func terms(s string, stop text.StopList) []string {
	list := text.Terms(s, stop)
	for i, t := range list {
		if len(t) > maxTerm {
			list[i] = t[:maxTerm]
		}
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
	_, last, found := lastCut(p.Section, " > ")
	if !found {
		last = p.Section
	}
	if strings.EqualFold(strings.TrimSpace(last), strings.TrimSpace(p.Title)) {
		return ""
	}
	return last
}

func lastCut(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
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
