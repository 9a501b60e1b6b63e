package offline

import (
	"slices"
	"strings"
	"testing"

	"example.com/assay/skills"
)

var ricochet = skills.SelectInput{
	Question: "A woman, lawfully defending herself with reasonable force against a mugger, fires a shot. It ricochets off a lamp post and hits a bystander. The bystander sues the woman for battery. Will the bystander recover?",
	Choices: []skills.Choice{
		{Letter: "A", Text: "The bystander will recover, because the woman's intent to shoot transfers to the bystander."},
		{Letter: "B", Text: "The bystander will recover, because the woman fired the shot that hit him."},
		{Letter: "C", Text: "The bystander will not recover, because the privilege of reasonable self-defense extends to unintended harm to a bystander."},
		{Letter: "D", Text: "The bystander will not recover, because the bystander was not the woman's target."},
	},
	Sources: []skills.Source{
		{N: 1, Title: "Self-defense", Section: "Third persons", Text: "Reasonable force in self-defense is privileged. The privilege extends to a bystander who suffers unintended harm from it. A defender is not liable for a battery to the person hit by accident. Negligence toward the bystander is another matter."},
		{N: 2, Title: "Intent", Section: "Transfer", Text: "Intent to commit a battery on one person transfers to another who is hit. Only a wrongful intent transfers. A privileged act carries no such intent."},
	},
}

func TestSelectRicochet(t *testing.T) {
	out, err := selectChoice(ricochet, 1)
	if err != nil || out.Answer != "C" {
		t.Fatalf("answer %q, %v; want C:\n%+v", out.Answer, err, out)
	}
	for i, c := range out.Choices {
		if c.Letter != ricochet.Choices[i].Letter || c.Eliminated != (c.Letter != "C") || !strings.Contains(c.Reason, "[Source ") {
			t.Errorf("choice %+v", c)
		}
	}
	if len(out.Elements) == 0 || !strings.HasPrefix(out.Elements[0], "“The privilege extends to a bystander") {
		t.Errorf("elements %q", out.Elements)
	}
	// The winner is found by its words, not by its place.
	turned := ricochet
	turned.Choices = nil
	for i := range 4 {
		c := ricochet.Choices[(i+2)%4]
		turned.Choices = append(turned.Choices, skills.Choice{Letter: string(rune('A' + i)), Text: c.Text})
	}
	if out, err := selectChoice(turned, 1); err != nil || out.Answer != "A" {
		t.Errorf("turned: answer %q, %v; want A", out.Answer, err)
	}
}

func TestSelectAbstains(t *testing.T) {
	for name, change := range map[string]func(*skills.SelectInput){
		"no sources":        func(in *skills.SelectInput) { in.Sources = nil },
		"unrelated sources": func(in *skills.SelectInput) { in.Sources = bailment[1:] },
		"equal choices": func(in *skills.SelectInput) {
			in.Choices = []skills.Choice{{Letter: "A", Text: "Privilege."}, {Letter: "B", Text: "Privilege."}}
		},
		"no choices": func(in *skills.SelectInput) { in.Choices = nil },
		"no letter":  func(in *skills.SelectInput) { in.Choices = []skills.Choice{{Letter: "Ab", Text: "Privilege."}} },
	} {
		in := ricochet
		change(&in)
		out, err := selectChoice(in, -9)
		if err != nil || out.Answer != "" || slices.ContainsFunc(out.Choices, func(c skills.ChoiceReason) bool { return c.Eliminated }) {
			t.Errorf("%s: %+v, %v; want an abstention", name, out, err)
		}
	}
	thin := skills.SelectInput{Question: "Which clauses are violated?", Choices: []skills.Choice{
		{Letter: "A", Text: "The bill of attainder clause only."}, {Letter: "B", Text: "The letter of marque clause only."}, {Letter: "C", Text: "No court may ask."},
	}, Sources: []skills.Source{{N: 1, Text: "The commerce clause limits the states. A court reads each clause by its purpose."}}}
	if out, err := selectChoice(thin, 1e-9); err != nil || out.Answer != "" {
		t.Errorf("one shared word: %q, %v", out.Answer, err)
	}
	// What no source holds by itself is not held by all of them together.
	spread := skills.SelectInput{Question: "What does the keeper owe?", Choices: []skills.Choice{
		{Letter: "A", Text: "The keeper owes lamp oil, wick thread, signal flags, harbour dues."}, {Letter: "B", Text: "Nothing at all."},
	}}
	for i, held := range []string{"Lamp oil burns.", "Wick thread frays.", "Signal flags fade.", "Harbour dues rise."} {
		spread.Sources = append(spread.Sources, skills.Source{N: i + 1, Text: held})
	}
	if out, err := selectChoice(spread, 1e-9); err != nil || out.Answer != "" {
		t.Errorf("spread over the sources: %q, %v", out.Answer, err)
	}
	if out, err := selectChoice(ricochet, 9); err != nil || out.Answer != "" {
		t.Errorf("a margin out of reach: %q, %v", out.Answer, err)
	}
}

// An element of a rule is never quoted from a hypothetical.
func TestElementsAreNoHypotheticals(t *testing.T) {
	in := ricochet
	in.Sources = append([]skills.Source{{N: 3, Title: "Self-defense", Text: "Suppose Odile, lawfully defending herself with reasonable force, fires at a mugger and hits a bystander by accident. Odile was privileged, so the bystander will not recover for battery."}}, in.Sources...)
	out, err := selectChoice(in, 0)
	if err != nil || len(out.Elements) == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	for _, e := range out.Elements {
		if strings.Contains(e, "Odile") {
			t.Errorf("an element of the rule is a story: %s", e)
		}
	}
	if !slices.ContainsFunc(out.Choices, func(c skills.ChoiceReason) bool { return strings.Contains(c.Reason, "Odile") }) {
		t.Error("no choice is nearest to the story: this test cannot fail")
	}
}
