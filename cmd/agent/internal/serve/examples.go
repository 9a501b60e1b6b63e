package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	drafts "example.com/assay/eval/answers"
	"example.com/assay/state"
)

const (
	// mostExamples is how many questions the page offers.
	mostExamples = 4
	// longestHeading is the length in bytes of a heading that a question quotes.
	longestHeading = 60
	// mostRead is how many passages questions are made from, spread over the corpus.
	mostRead = 400
	// examplesWithin bounds how long the page waits for questions.
	examplesWithin = 150 * time.Millisecond
)

// examples returns questions that rules make from the passages of a corpus, or else from its
// headings, and the note on the
// corpus. Questions are remembered for each state of a corpus; where they cannot be made quickly,
// there are none.
func (s *server) examples(ctx context.Context, tenant, name string) (questions []string, note string) {
	c, err := corpora{s}.Open(ctx, tenant, name)
	if err != nil {
		return nil, "" // the run will say why
	}
	o := c.(*openCorpus)
	defer func() {
		if err := c.Close(); err != nil {
			s.Warn("%v", err)
		}
	}()
	if note = o.About().Note; o.Corpus.Info().Passages == 0 {
		return nil, note
	}
	key := fmt.Sprint(name, " ", o.Corpus.Info().Generation)
	if known, ok := s.offered.Load(key); ok {
		return known.([]string), note
	}
	begun := time.Now()
	ids, err := o.Corpus.PassageIDs()
	if err != nil {
		return nil, note
	}
	var read []state.Passage
	for i := 0; i < len(ids); i += 1 + len(ids)/mostRead {
		if p, ok, err := o.Corpus.Passage(ids[i]); err == nil && ok {
			read = append(read, p)
		}
		if time.Since(begun) > examplesWithin {
			break
		}
	}
	for _, q := range drafts.Draft(read, &drafts.DraftOptions{Corpus: name, N: mostExamples}) {
		questions = append(questions, q.Question)
	}
	for _, p := range read {
		heading := p.Section[strings.LastIndex(p.Section, " > ")+1:]
		q := "What is said about “" + strings.TrimLeft(heading, "> ") + "”?"
		if len(questions) < mostExamples && heading != "" && len(heading) < longestHeading && !slices.Contains(questions, q) {
			questions = append(questions, q)
		}
	}
	s.offered.Store(key, questions)
	return questions, note
}
