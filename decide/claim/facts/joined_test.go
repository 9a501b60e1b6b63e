package facts

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A joined claim is made of sentences of one document.
type joined struct {
	document, claim string
	evidence        []string
	kind            string
}

// Kinds of joined claims. Only another's predicate makes one false.
const (
	others  = "another's predicate" // the subject of one sentence with the predicate of another
	ownHead = "own, head alone"     // its own predicate, cut, and its subject without article and adjectives
	ownBack = "own, referred to"    // the subject of a sentence with the predicate of the next, which begins with a pronoun
)

// A halved sentence is a subject and a predicate, taken apart without the grammar
// that is measured: by its first auxiliary, or a verb before an article.
type halved struct{ article, subject, predicate string }

var (
	halves = regexp.MustCompile(`^(?:(The|A|An|Each|Every|Any|All|This|These|Such) )?((?:[A-Za-z][A-Za-z-]* ){1,4}?)((?:must|shall|may|can|will|should|is|are|was|were|has|have|had|cannot|could|would|[a-z]{3,}(?:s|ed) (?:the|a|an|its|their|this)) .+)$`)
	// endOfHalf is where a second statement may begin.
	endOfHalf = regexp.MustCompile(`[,;:("“\n]| (?:which|who|that|if|when|where|unless|because|while|and|or|but|as|provided|except) `)
	noSubject = text.Set(`it he she they we you i there this that these those such here one what which who if when where while in on at by for
		from with as to and or but not no nothing none note see example however also then thus most many some both other its their his her our your
		after before under each every any all because although since until whether how why so between among following`)
	referring = regexp.MustCompile(`^(?:It|They|He|She) `)
	manyParts = regexp.MustCompile(`[A-Za-z]{4,}`)
)

func halve(s string) (halved, bool) {
	m := halves.FindStringSubmatch(s)
	if m == nil {
		return halved{}, false
	}
	h := halved{m[1], strings.TrimSpace(m[2]), m[3]}
	for _, w := range strings.Fields(strings.ToLower(h.subject)) {
		if noSubject[w] {
			return halved{}, false
		}
	}
	if at := endOfHalf.FindStringIndex(h.predicate); at != nil {
		h.predicate = h.predicate[:at[0]]
	}
	h.predicate = strings.TrimRight(h.predicate, ". \n\t")
	n := len(manyParts.FindAllString(h.predicate, -1))
	return h, n >= 3 && n <= 14
}

func (h halved) head() string {
	words := strings.Fields(h.subject)
	return words[len(words)-1]
}

func (h halved) whole() string { return strings.TrimSpace(h.article + " " + h.subject) }

func holdsWord(sentence, w string) bool {
	want := text.Stem(strings.ToLower(w))
	for _, f := range manyParts.FindAllString(strings.ToLower(sentence), -1) {
		if text.Stem(f) == want {
			return true
		}
	}
	return false
}

// windowed is how many sentences of a document are the evidence of a claim.
const windowed = 12

// join makes claims of a document, at most two of each kind from one window.
func join(document string, sentences []string) (out []joined) {
	for from := 0; from < len(sentences); from += windowed {
		window := sentences[from:min(from+windowed, len(sentences))]
		var at []int
		parts := make([]halved, len(window))
		for i, s := range window {
			var ok bool
			if parts[i], ok = halve(s); ok {
				at = append(at, i)
			}
		}
		count := map[string]int{}
		add := func(kind, claim string) {
			if count[kind]++; count[kind] <= 2 {
				out = append(out, joined{document, strings.ToUpper(claim[:1]) + claim[1:] + ".", window, kind})
			}
		}
		for n, i := range at {
			p := parts[i]
			if len(strings.Fields(p.whole())) > 1 {
				add(ownHead, p.head()+" "+p.predicate)
			}
			for m := 1; m < len(at); m++ {
				q := parts[at[(n+m)%len(at)]]
				if !holdsWord(window[i], q.head()) && !holdsWord(window[at[(n+m)%len(at)]], p.head()) {
					add(others, q.whole()+" "+p.predicate)
					break
				}
			}
			if i+1 < len(window) && referring.MatchString(window[i+1]) {
				if rest, ok := halve("Someone" + window[i+1][strings.IndexByte(window[i+1], ' '):]); ok {
					add(ownBack, p.whole()+" "+rest.predicate)
				}
			}
		}
	}
	return out
}

// documentsOf reads the texts of a set, in the order of its file.
func documentsOf(t *testing.T, name string) (ids []string, sentences map[string][]string) {
	sentences = map[string][]string{}
	add := func(id, s string) {
		if _, seen := sentences[id]; !seen {
			ids = append(ids, id)
		}
		sentences[id] = append(sentences[id], sentencesOf(s)...)
	}
	dataFile(t, name, func(line []byte) error {
		var r struct {
			ID       string
			Doc      *int `json:"doc_id"`
			Text     string
			Evidence []string
		}
		err := json.Unmarshal(line, &r)
		if r.Doc != nil {
			r.ID = fmt.Sprint("document ", *r.Doc)
		}
		add(r.ID, r.Text)
		for _, s := range r.Evidence {
			add(r.ID, s)
		}
		return err
	})
	return ids, sentences
}

// TestMeasureJoined counts what is said of who does it, in claims that join sentences
// of a document. Documents are two halves by a hash of their ids: rules may be made on
// half 0, and half 1 tells what they are worth.
func TestMeasureJoined(t *testing.T) {
	for _, name := range []string{"obliqa/corpus.jsonl.gz", "legalbench_rag/corpus.jsonl.gz", "barexam_qa/corpus.jsonl", "scifact/corpus.jsonl.gz", "wice/claims.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			ids, sentences := documentsOf(t, name)
			var rows []joined
			for _, id := range ids {
				rows = append(rows, join(id, sentences[id])...)
			}
			countJoined(t, rows)
		})
	}
}

// halfOf is the half that a document is in.
func halfOf(document string) int {
	h := fnv.New32a()
	h.Write([]byte(document))
	return int(h.Sum32()>>7) & 1
}

// mostJoined is how many claims of a kind are taken from one half of a set.
const mostJoined = 600

func countJoined(t *testing.T, rows []joined) {
	type count struct{ n, any, refused, doubted int }
	counts := map[string]*count{}
	for _, row := range rows {
		key := fmt.Sprintf("half %d, %s", halfOf(row.document), row.kind)
		if counts[key] == nil {
			counts[key] = &count{}
		}
		c := counts[key]
		if c.n == mostJoined {
			continue
		}
		c.n++
		r := Prepare(row.evidence).Check(row.claim)
		if len(r.Conflicts) > 0 {
			c.any++
		}
		refused := slices.ContainsFunc(r.Conflicts, func(f Conflict) bool { return f.Kind == state.ConflictRole })
		switch {
		case refused:
			c.refused++
		case len(r.Conflicts) == 0 && slices.ContainsFunc(r.Doubts, func(d Doubt) bool { return d.Kind == state.ConflictRole }):
			c.doubted++
		}
		if halfOf(row.document) == 0 && refused != (row.kind == others) {
			t.Logf("%s: %q %+v\n\tagainst %q", row.kind, row.claim, r.Conflicts, best(r, row.evidence))
		}
	}
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		c := counts[k]
		n := float64(c.n)
		t.Logf("%-30s n %4d, any conflict %.3f (of who %.3f), else a doubt of who %.3f", k, c.n, float64(c.any)/n, float64(c.refused)/n, float64(c.doubted)/n)
	}
}

func best(r Result, evidence []string) (out []string) {
	for _, a := range r.Aligned[:min(2, len(r.Aligned))] {
		out = append(out, evidence[a.Sentence])
	}
	return out
}
