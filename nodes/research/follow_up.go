package research

import (
	"context"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/followup"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// followUp rewrites a question that refers to the conversation so that it stands alone;
// Asked keeps the typed question. It calls no model when the form of the question shows
// that it stands alone, or when it has choices. It accepts a model's version only if every
// word occurs in the conversation and it is not much longer than the questions: answers
// quote documents, and a document must not rewrite a question.
func followUp(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		if _, choices := splitChoices(s.Objective); len(choices) > 0 || len(s.Earlier) == 0 || !followup.Leans(s.Objective) {
			return nil, nil
		}
		in := skills.FollowUpInput{Question: s.Objective}
		for _, e := range s.Earlier {
			in.Earlier = append(in.Earlier, skills.Said{Question: e.Question, Head: e.Head, Answer: e.Answer})
		}
		out, usage, err := llm.Ask[skills.FollowUpOutput](ctx, m, skill, in)
		resolved := strings.Join(strings.Fields(out.Question), " ")
		update := graph.Update[state.Agent]{usageChannel.Add(usage)}
		switch {
		case llm.Misread(err):
			return append(update, lossesChannel.Add(state.LossOf("what the question refers to", err))), nil
		case err != nil:
			return nil, err
		case resolved == "" || resolved == strings.Join(strings.Fields(s.Objective), " "):
			return update, nil
		case !said(resolved, s):
			return append(update, warningsChannel.Add("the question was searched for as it was typed: what it was taken to mean has words that nobody said")), nil
		}
		return append(update, askedChannel.Set(s.Objective), objectiveChannel.Set(resolved)), nil
	}
}

// said reports whether every word of a question occurs in the conversation or belongs to
// grammar, and the question is not much longer than the questions that it combines.
func said(question string, s state.Agent) bool {
	known, longest := map[string]bool{}, len(s.Objective)
	add := func(t string) {
		for _, w := range wordsOf(t) {
			known[w], known[text.Stem(w)] = true, true
		}
	}
	add(s.Objective)
	for _, e := range s.Earlier {
		add(e.Question + " " + e.Head + " " + e.Answer)
		longest = max(longest, len(s.Objective)+len(e.Question)+len(e.Head))
	}
	for _, w := range wordsOf(question) {
		if !known[w] && !known[text.Stem(w)] && !text.DocStops.Has(w) && !putting[w] {
			return false
		}
	}
	return len(question) <= longest+slackOfGrammar
}

// slackOfGrammar is by how many bytes a resolved question may be longer than the
// questions that it is made of.
const slackOfGrammar = 60

// ExchangeOf is what a conversation keeps of an answer; false for one that does not answer.
func ExchangeOf(a state.Answer) (state.Exchange, bool) {
	switch a.Status {
	case state.StatusAnswered, state.StatusUngrounded, state.StatusNoEvidence:
	default:
		return state.Exchange{}, false
	}
	e := state.Exchange{Question: a.Question}
	if a.Resolved != "" {
		e.Question = a.Resolved
	}
	switch {
	case a.Status == state.StatusNoEvidence:
	case len(a.Quotes) > 0:
		e.Head, e.Answer = a.Quotes[0].Head, llm.Cut(a.Quotes[0].Text, contextRunes)
	default:
		e.Answer = llm.Cut(body(a.Answer), contextRunes)
	}
	return e, true
}
