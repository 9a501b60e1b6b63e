// Package obligation reads sentences of statutes, policies and rulebooks. It decides which
// sentences state what must or must not be done, and by which words. It also finds the
// part of a long sentence that can stand alone as an excerpt, the list that a short
// sentence belongs to, and placeholders that were never filled.
//
//	m, err := obligation.Default()
//	for _, s := range text.Sentences(passage) {
//		if r := m.Read(passage[s.Start:s.End]); r.Obligation {
//			fmt.Println(obligation.Fit(passage, s).Quote)
//		}
//	}
//
// It uses lists of English cues and a logistic regression over them, trained on sentences
// that were written for the project (weights.md).
//
// It does not know who is bound, whether a rule is in force, or what a sentence without
// any cue word implies. It reads one sentence at a time. A sentence that only defines
// ("shall mean") does not count as an obligation.
package obligation
