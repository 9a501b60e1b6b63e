package research

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// selectChoice picks an option of a multiple-choice question by the research, which may
// come from memory. Without options or without an answer it does nothing and calls no
// model. A selection without an option is an abstention; one that cannot be parsed, or a
// failed call, is also a loss.
//
// What it writes is not yet part of the answer: giveChoice gives the letter.
func selectChoice(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		stem, choices := splitChoices(s.Objective)
		if len(choices) == 0 || s.Count(state.StepCompleted) == 0 {
			return nil, nil
		}
		cited := Cited(s)
		out, usage, err := llm.Ask[skills.SelectOutput](ctx, m, skill, skills.SelectInput{
			Question: stem, Choices: choices, Research: s.Research, Sources: numbered(cited),
		})
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[state.Agent]{usageChannel.Add(usage)}
		if err != nil {
			update = append(update, lossesChannel.Add(state.LossOf("the choice of an option", err)))
		}
		pick := selection(out, choices, cited)
		pick.Block = choiceBlock{pick}.reasons()
		return append(update, choiceChannel.Set(pick)), nil
	}
}

// giveChoice puts the selection under the answer. A letter needs a statement, of its own
// reason or of the whole selection, that cites a passage and is supported. Where claims
// were not checked, citing a passage suffices.
func giveChoice() graph.Node[state.Agent] {
	return func(_ context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		pick := s.Choice
		if len(pick.Options) == 0 {
			return nil, nil
		}
		if s.ChoiceCheck.Check != nil {
			pick.Block, pick.Check = s.ChoiceCheck.Text, s.ChoiceCheck.Check
		}
		if pick.Letter != "" && !backed(pick) {
			pick.Letter, pick.Withheld = "", pick.Letter
		}
		return graph.Update[state.Agent]{
			choiceChannel.Set(pick),
			answerChannel.Set(s.Research + choiceRule + choiceBlock{pick}.text()),
		}, nil
	}
}

// choiceInput is the verification's input for a selection: its reasons, every passage that a
// completed step read, and the question, whose facts the reasons may repeat.
func choiceInput(s state.Agent) graph.Update[verify.State] {
	stem, _ := splitChoices(s.Objective)
	in := verify.Input{Query: stem, Response: s.Choice.Block, Evidence: evidenceOf(s)}
	in.Evidence = append(in.Evidence, state.Evidence{Label: "Question", Passage: state.Passage{ID: questionID, Doc: questionID, Title: "The question", Text: stem, End: len(stem), Source: questionID}})
	return in.Update()
}

// questionID is the passage ID of the question's facts.
const questionID = "question"

// choiceOutput keeps the verdicts on a selection, and its text with unsupported parts
// marked or left out.
func choiceOutput(v verify.State) graph.Update[state.Agent] {
	check := verify.Check(v)
	return append(lostIn(v), choiceCheckChannel.Set(state.ChoiceCheck{Text: v.Final, Check: &check}), usageChannel.Add(v.Usage))
}

// CitedSource is a citation with the step that made it.
type CitedSource struct {
	Step int
	Hit  state.Hit
	state.Citation
}

// Cited lists the citations of the completed steps, and of what verification read, in the
// order of the answer. Their positions, from 1, are the numbers of the answer's list of
// sources.
func Cited(s state.Agent) []CitedSource {
	var out []CitedSource
	for _, step := range s.Plan {
		if !citable(step) {
			continue
		}
		for _, c := range step.Citations {
			out = append(out, CitedSource{step.ID, step.Hits[c.N-1], c})
		}
	}
	return out
}

func numbered(cited []CitedSource) []skills.Source {
	hits := make([]state.Hit, len(cited))
	for i, c := range cited {
		hits[i] = c.Hit
	}
	return sources(hits, 1)
}

func selection(out skills.SelectOutput, choices []skills.Choice, cited []CitedSource) state.Selection {
	pick := state.Selection{Reason: rescope(out.Reason, cited)}
	for _, e := range out.Elements {
		pick.Elements = append(pick.Elements, rescope(e, cited))
	}
	for i, c := range choices {
		reason := state.OptionReason{Letter: c.Letter}
		for _, r := range out.Choices {
			if strings.EqualFold(strings.TrimSpace(r.Letter), c.Letter) {
				reason.Eliminated, reason.Reason = r.Eliminated, rescope(r.Reason, cited)
			}
		}
		pick.Options = append(pick.Options, reason)
		if strings.EqualFold(strings.Trim(out.Answer, " ()."), c.Letter) {
			pick.Letter = choices[i].Letter
		}
	}
	return pick
}

// rescope turns the numbers of the prompt's source list into the answer's: the step and its own
// source.
func rescope(text string, cited []CitedSource) string {
	return sourceMark.ReplaceAllStringFunc(strings.Join(strings.Fields(text), " "), func(mark string) string {
		var b strings.Builder
		for _, digits := range number.FindAllString(mark, -1) {
			n := 0
			if _, err := fmt.Sscan(digits, &n); err != nil || n < 1 || n > len(cited) {
				fmt.Fprintf(&b, "[no source %s]", digits)
				continue
			}
			fmt.Fprintf(&b, "[Query %d][Source %d]", cited[n-1].Step, cited[n-1].N)
		}
		return b.String()
	})
}

// choiceBlock writes a selection as text.
type choiceBlock struct{ state.Selection }

const (
	choiceRule      = "\n\n---\n\n" // between the research and the choice
	whyHeading      = "#### Reason"
	elementsHeading = "#### Elements of the rule"
)

// reasons returns the statements of a selection under headings, as they are verified. A heading
// states nothing.
func (c choiceBlock) reasons() string {
	var b strings.Builder
	section := func(heading string, statements ...string) {
		b.WriteString(heading + "\n\n")
		for _, s := range slices.DeleteFunc(statements, func(s string) bool { return s == "" }) {
			b.WriteString("- " + s + "\n")
		}
	}
	if c.Reason != "" {
		section(whyHeading, c.Reason)
	}
	if len(c.Elements) > 0 {
		section(elementsHeading, c.Elements...)
	}
	for _, o := range c.Options {
		section(optionHeading(o.Letter)+" "+c.fate(o), o.Reason)
	}
	return strings.TrimSpace(headingGap.ReplaceAllString(b.String(), "$1\n\n#"))
}

// headingGap is the end of a line before a heading.
var headingGap = pattern.New(`([^\n])\n+#`)

func optionHeading(letter string) string { return "#### (" + letter + ")" }

func (c choiceBlock) fate(o state.OptionReason) string {
	fate := "kept"
	switch {
	case o.Letter == c.Letter:
		fate = "selected"
	case o.Letter == c.Withheld:
		fate = "selected, without support"
	case o.Eliminated:
		fate = "eliminated"
	}
	if o.Reason == "" {
		fate += ", no reason was given"
	}
	return fate
}

// text returns the selection in the form of the answer. If the reasons are only quotes, it says so:
// they were matched, not argued.
func (c choiceBlock) text() string {
	head := "**Answer: none** – the evidence does not single out one choice."
	switch {
	case c.Letter != "":
		head = fmt.Sprintf("**Answer: (%s)**", c.Letter)
	case c.Withheld != "":
		head = fmt.Sprintf("**Answer: none** – no statement for (%s), which was selected, is supported by a passage that it cites.", c.Withheld)
	}
	if c.onlyQuotes() {
		head += "\n\nThis is an evidence match, not legal reasoning: the sources hold more of the wording of one choice than of the others."
	}
	return head + "\n\n" + c.Block
}

// onlyQuotes reports whether no reason has words of its own.
func (c choiceBlock) onlyQuotes() bool {
	statements := append([]string{c.Reason}, c.Elements...)
	for _, o := range c.Options {
		statements = append(statements, o.Reason)
	}
	quotes := 0
	for _, s := range statements {
		if s == "" {
			continue
		}
		if !quoteOnly.MatchString(s) {
			return false
		}
		quotes++
	}
	return quotes > 0
}

var quoteOnly = pattern.New(`^“.*”(?:\s*\[(?:Query \d+\]\[Source|no source) \d+\])+$`)

// backed reports whether a statement for the selected letter cites a passage and is supported.
func backed(pick state.Selection) bool {
	var reasons []string // for the letter
	for _, o := range pick.Options {
		if o.Letter == pick.Letter {
			reasons = append(reasons, o.Reason)
		}
	}
	reasons = append(reasons, pick.Reason)
	if pick.Check == nil {
		return slices.ContainsFunc(reasons, scopedMark.MatchString)
	}
	for _, claim := range pick.Check.Claims {
		cites := len(claim.Cites) > 0 && !claim.Miscited
		if claim.Status != state.Supported || !cites || !slices.ContainsFunc(claim.Evidence, func(q state.Quote) bool { return q.Passage != questionID }) {
			continue
		}
		if slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(r, claim.Claim) }) {
			return true
		}
	}
	return false
}
