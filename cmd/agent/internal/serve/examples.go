package serve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	drafts "example.com/assay/eval/answers"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

const (
	// mostExamples is how many questions the page offers.
	mostExamples = 4
	// mostTried is how many questions are tried for them.
	mostTried = 40
	// longestHeading is the length in bytes of a heading that a question quotes.
	longestHeading = 40
	// mostRead is how many passages questions are made from, spread over the corpus.
	mostRead = 400
	// examplesWithin bounds how long the page waits for questions that are being made, and
	// examplesFor how long they are made.
	examplesWithin = 150 * time.Millisecond
	examplesFor    = 20 * time.Second
	// sureConfidence and sureAnswer are what a search and its best quote need, so that a question is
	// offered.
	sureConfidence = 0.7
	sureAnswer     = 0.5
)

// offers are questions that corpora answer, made in the background, once for the same content.
type offers struct {
	*server
	ctx  context.Context // ends with close
	stop context.CancelFunc
	work sync.WaitGroup
	made sync.Map // *offer by the fingerprint of a corpus
}

// An offer is the questions of a corpus, once done is closed.
type offer struct {
	done      chan struct{}
	questions []string
}

// newOffers begins with the corpus that the page shows first.
func newOffers(s *server) *offers {
	o := &offers{server: s}
	o.ctx, o.stop = context.WithCancel(context.Background())
	first := s.tenants[0]
	if name, err := first.corpus(nil, s.settings.Corpus); err == nil {
		o.work.Go(func() { o.examples(o.ctx, first.Name, name) })
	}
	return o
}

func (o *offers) close() error {
	o.stop()
	o.work.Wait()
	return nil
}

// examples returns questions that a corpus answers, none until they are made, and the note on the
// corpus.
func (o *offers) examples(ctx context.Context, tenant, name string) (questions []string, note string) {
	c, err := corpora{o.server}.Open(ctx, tenant, name)
	if err != nil {
		return nil, "" // the run will say why
	}
	corpus := c.(*openCorpus)
	note = corpus.About().Note
	mine := &offer{done: make(chan struct{})}
	known, has := o.made.LoadOrStore(corpus.Corpus.Fingerprint(), mine)
	work := func() {
		if !has {
			ctx, stop := context.WithTimeout(o.ctx, examplesFor)
			defer stop()
			mine.questions = offered(ctx, corpus)
			close(mine.done)
		}
		if err := c.Close(); err != nil {
			o.Warn("%v", err)
		}
	}
	if has {
		work()
	} else {
		o.work.Go(work)
	}
	select {
	case <-known.(*offer).done:
		return known.(*offer).questions, note
	case <-ctx.Done():
	case <-time.After(examplesWithin):
	}
	return nil, note
}

// offered returns questions of different documents that a corpus answers: of its own, of those that
// rules make from its sentences, and of those about a heading.
func offered(ctx context.Context, o *openCorpus) []string {
	ids, err := o.Corpus.PassageIDs()
	if err != nil {
		return nil // a page without examples is a page
	}
	var read []state.Passage
	for i := 0; i < len(ids) && ctx.Err() == nil; i += 1 + len(ids)/mostRead {
		if p, ok, err := o.Corpus.Passage(ids[i]); err == nil && ok {
			read = append(read, p)
		}
	}
	slices.SortFunc(read, func(a, b state.Passage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Start, b.Start))
	})
	var own, plain []drafts.Question
	for _, p := range read {
		heading := numbered.ReplaceAllString(p.Section[strings.LastIndex(p.Section, " > ")+1:], "")
		if strings.HasSuffix(heading, "?") && len(strings.Fields(p.Text)) > len(strings.Fields(heading)) { // more than a promise
			own = append(own, drafts.Question{Question: heading, File: p.Source})
		} else if plainHeading.MatchString(heading) && len(heading) < longestHeading {
			plain = append(plain, drafts.Question{Question: "What is said about “" + heading + "”?", File: p.Source})
		}
	}
	var out, of []string
	tried := 0
	for _, q := range slices.Concat(own, drafts.Draft(read, &drafts.DraftOptions{N: mostTried}), plain) {
		if len(out) == mostExamples || tried == mostTried || ctx.Err() != nil {
			break
		}
		q.Question = spelled(q.Question, read)
		if !presentable(q.Question) || slices.Contains(of, q.File) || slices.Contains(out, q.Question) {
			continue
		}
		if tried++; answered(ctx, o, q) {
			out, of = append(out, q.Question), append(of, q.File)
		}
	}
	return out
}

var (
	// numbered is the number of a heading.
	numbered = pattern.New(`^[>\s]*(?:(?:§\s*)?[\dA-Z]{1,3}(?:\.\d+)*[.)]\s+|[\d.]+\s+)?`)
	// plainHeading is a heading of two to five words.
	plainHeading = pattern.New(`^\p{L}[\p{L}\-']*(?: [\p{L}\-']+){1,4}$`)
	// vague are words that need what stands around them.
	vague = strings.Fields("it its this that these those here there us we our they them their he she you your i my such above below following")
	// defined is a question for a definition, whose term had the first letter of a sentence.
	defined = pattern.New(`^(What (?:is|are) )(\p{Lu}.*)\?$`)
)

// spelled returns a question with its term as it is spelled inside a sentence; "" for one that is a
// name or never stands there, since "What is Wednesday?" reads as no question of these documents.
func spelled(q string, read []state.Passage) string {
	m := defined.FindStringSubmatch(q)
	if m == nil {
		return q
	}
	_, size := utf8.DecodeRuneInString(m[2])
	term := strings.ToLower(m[2][:size]) + m[2][size:]
	if !slices.ContainsFunc(read, func(p state.Passage) bool { return strings.Contains(p.Text, " "+term) }) {
		return ""
	}
	return m[1] + term + "?"
}

// presentable reports whether a question stands by itself, and reads as one.
func presentable(q string) bool {
	words := strings.Fields(strings.ToLower(strings.Trim(q, "?")))
	if len(words) < 3 || len(words) > 12 || utf8.RuneCountInString(q) > 80 || strings.ContainsAny(q, ",;:()/*_|") {
		return false
	}
	own := strings.HasPrefix(q, "How do I ")
	return !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(vague, w) && !(own && w == "i") })
}

// answered reports whether the best quote for a question is of its document, and surely an answer.
func answered(ctx context.Context, o *openCorpus, q drafts.Question) bool {
	found, err := o.Corpus.Search(ctx, retrieval.Query{Primary: q.Question})
	if err != nil || found.Confidence < sureConfidence {
		return false
	}
	var sources []answer.Source
	for _, h := range found.Hits {
		sources = append(sources, answer.SourceOf(h))
	}
	r := answer.Rank(q.Question, sources, &answer.Options{Most: 1, Confidence: found.Confidence})
	return r.Chance >= sureAnswer && !r.Valueless && len(r.Quotes) > 0 && found.Hits[r.Quotes[0].Source].Passage.Source == q.File
}
