package offline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/assay/internal/racetest"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

func set(t testing.TB) *skills.Set {
	t.Helper()
	s, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func skill(t testing.TB, s *skills.Set, name string) skills.Skill {
	t.Helper()
	sk, err := s.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return sk
}

func TestOfflineIsAModel(t *testing.T) { llmtest.TestModel(t, offline.New(nil)) }

func TestUnknownSkill(t *testing.T) {
	_, err := offline.New(nil).Generate(t.Context(), llm.Request{Skill: "poetry", Origin: llm.Origin{Vars: json.RawMessage(`{}`)}})
	unknown, ok := errors.AsType[*offline.UnknownSkillError](err)
	if !ok || unknown.Skill != "poetry" || len(unknown.Known) != 22 || !strings.Contains(err.Error(), skills.QueryRewrite) {
		t.Errorf("error %v", err)
	}
}

// known are the skills that a model has an algorithm for.
func known(t testing.TB, m llm.Model) []string {
	t.Helper()
	_, err := m.Generate(t.Context(), llm.Request{Skill: "poetry", Origin: llm.Origin{Vars: json.RawMessage(`{}`)}})
	unknown, ok := errors.AsType[*offline.UnknownSkillError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	return unknown.Known
}

func TestBadVars(t *testing.T) {
	m := offline.New(nil)
	for _, name := range set(t).Names() {
		for _, vars := range []string{``, `[]`, `"x"`, `{"question":1}`, `{"sources":{}}`} {
			resp, err := m.Generate(t.Context(), llm.Request{Skill: name, Origin: llm.Origin{Vars: json.RawMessage(vars)}})
			if err == nil && (vars == `` || vars == `[]` || vars == `"x"`) {
				t.Errorf("%s answered %q to vars %s", name, resp.Text, vars)
			}
		}
	}
}

func TestUsageCountsWords(t *testing.T) {
	resp, err := offline.New(nil).Generate(t.Context(), llm.Request{
		Skill: skills.QueryRewrite, Origin: llm.Origin{Vars: json.RawMessage(`{"question":"What is hearsay?","objective":""}`)},
		Messages: []llm.Message{{Role: llm.System, Text: "one two"}, {Role: llm.User, Text: "three"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Model != offline.Name || resp.Usage.InputTokens != 3 || resp.Usage.OutputTokens != len(strings.Fields(resp.Text)) {
		t.Errorf("response %+v", resp)
	}
}

func TestMaxQuotes(t *testing.T) {
	in := skills.SynthesizeInput{Question: "What is a bailee under a duty to return?", Sources: []skills.Source{{N: 1, Title: "T", Text: `A bailee must return the goods on demand. A bailee must return fruits of the goods too. A bailee for hire must return a deposit. A gratuitous bailee must return costs saved.`}}}
	for _, n := range []int{1, 2} {
		text, _, err := llm.AskText(t.Context(), offline.New(&offline.Options{MaxQuotes: n}), skill(t, set(t), skills.SynthesizeAndCite), in)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(text, "[Source 1]\n"); got != n {
			t.Errorf("MaxQuotes %d: %d quotes in\n%s", n, got, text)
		}
	}
}

// outputs asks every skill about one question and one source text and fails
// where an answer does not fit its schema. It returns the answers joined.
func outputs(t testing.TB, s *skills.Set, m llm.Model, question, other, source string) string {
	t.Helper()
	sources := []skills.Source{{N: 1, Title: other, Section: question, Text: source}, {N: 2, Text: question + " " + source}, {N: 2, Title: "same number", Text: other}}
	check := func(out any, calls int, err error) string {
		if _, bad := errors.AsType[*llm.ParseError](err); bad || err == nil && calls != 1 {
			t.Errorf("question %q: the answer needed repair: %v", question, err)
		}
		if err != nil && strings.TrimSpace(question) != "" {
			t.Errorf("question %q: %v", question, err)
		}
		data, jsonErr := json.Marshal(out)
		if jsonErr != nil {
			t.Error(jsonErr)
		}
		return string(data) + "\n"
	}
	ctx := t.Context()
	var b strings.Builder
	detect, u, err := llm.Ask[skills.DetectOutput](ctx, m, skill(t, s, skills.DetectPromptInjection), skills.DetectInput{Question: question})
	b.WriteString(check(detect, u.Calls, err))
	follow, u, err := llm.Ask[skills.FollowUpOutput](ctx, m, skill(t, s, skills.ResolveFollowUp), skills.FollowUpInput{Question: question, Earlier: []skills.Said{{Question: other, Answer: source}}})
	b.WriteString(check(follow, u.Calls, err))
	class, u, err := llm.Ask[skills.ClassifyOutput](ctx, m, skill(t, s, skills.ClassifyAndRoute), skills.ClassifyInput{Question: question})
	b.WriteString(check(class, u.Calls, err))
	plan, u, err := llm.Ask[skills.PlanOutput](ctx, m, skill(t, s, skills.PlanSynthesis), skills.PlanInput{Question: question, QueryType: class.QueryType})
	b.WriteString(check(plan, u.Calls, err))
	queries, u, err := llm.Ask[skills.RewriteOutput](ctx, m, skill(t, s, skills.QueryRewrite), skills.RewriteInput{Question: question, Objective: other})
	b.WriteString(check(queries, u.Calls, err))
	answer, u, err := llm.AskText(ctx, m, skill(t, s, skills.SynthesizeAndCite), skills.SynthesizeInput{Question: question, Objective: other, Sources: sources})
	b.WriteString(check(answer, u.Calls, err))
	if err == nil {
		checkQuotes(t, answer, sources)
	}
	judged, u, err := llm.Ask[skills.JudgeOutput](ctx, m, skill(t, s, skills.JudgeClaim), skills.JudgeInput{Claim: question, Sources: sources})
	b.WriteString(check(judged, u.Calls, err))
	for _, q := range judged.Quotes {
		if utf8.ValidString(question+other+source) && !slices.ContainsFunc(sources, func(s skills.Source) bool { return s.N == q.Source && strings.Contains(s.Text, q.Text) }) {
			t.Errorf("source %d does not hold %q", q.Source, q.Text)
		}
	}
	fields := []skills.FieldSpec{{Path: "a", Type: "string", Format: "company"}, {Path: "b", Type: "number", Anchors: []string{other}}, {Path: "c[]", Type: "string", Format: "party"}, {Path: "d", Type: "string"}}
	read, u, err := llm.Ask[skills.ExtractOutput](ctx, m, skill(t, s, skills.ExtractFields), skills.ExtractInput{Fields: fields, Text: source, Boxes: []skills.LaidOut{}})
	b.WriteString(check(read, u.Calls, err))
	for _, v := range read.Fields {
		if utf8.ValidString(source) && !strings.Contains(source, v.Quote) {
			t.Errorf("the text does not hold %q", v.Quote)
		}
	}
	next, u, err := llm.Ask[skills.ReplanOutput](ctx, m, skill(t, s, skills.AdaptiveReplan), skills.ReplanInput{Objective: question, Asked: []string{other}, Findings: []skills.Finding{{StepID: 1, Question: other, Answer: source, Status: "completed"}}})
	b.WriteString(check(next, u.Calls, err))
	found, u, err := llm.Ask[skills.RequirementsOutput](ctx, m, skill(t, s, skills.ExtractRequirements), skills.RequirementsInput{Sources: []skills.RequirementSource{{Source: sources[0]}, {Source: sources[1]}, {Source: sources[2]}}})
	b.WriteString(check(found, u.Calls, err))
	for _, r := range found.Requirements {
		if utf8.ValidString(source) && !slices.ContainsFunc(sources, func(s skills.Source) bool { return s.N == r.Source && strings.Contains(s.Text, r.Quote) }) {
			t.Errorf("source %d does not hold the requirement %q", r.Source, r.Quote)
		}
	}
	quoted := []skills.QuotedRequirement{{ID: "REQ-S001", Quote: source}, {ID: "REQ-P001", Quote: other}}
	grounded, u, err := llm.Ask[skills.GroundingOutput](ctx, m, skill(t, s, skills.VerifyGrounding), skills.GroundingInput{Question: question, Requirement: quoted[0]})
	b.WriteString(check(grounded, u.Calls, err))
	composed, u, err := llm.Ask[skills.ComposeOutput](ctx, m, skill(t, s, skills.ComposeAnswer), skills.ComposeInput{Question: question, Requirements: quoted})
	b.WriteString(check(composed, u.Calls, err))
	reviewed, u, err := llm.Ask[skills.ReviewOutput](ctx, m, skill(t, s, skills.ReviewAnswer), skills.ReviewInput{
		Question: question, Statements: []skills.ReviewStatement{{N: 1, Text: other, IDs: []string{"REQ-S001"}}}, Requirements: quoted,
	})
	b.WriteString(check(reviewed, u.Calls, err))
	sel, u, err := llm.Ask[skills.SelectOutput](ctx, m, skill(t, s, skills.SelectChoice), skills.SelectInput{Question: question, Research: answer, Sources: sources, Choices: []skills.Choice{{Letter: "A", Text: other}, {Letter: "B", Text: source}, {Letter: question, Text: question}}})
	b.WriteString(check(sel, u.Calls, err))
	return b.String()
}

// checkQuotes reads an answer as its consumer does: every line with a
// citation holds one quote between the outermost curly quotes, and the quote
// is a substring of a source with that number, both written on one line.
func checkQuotes(t testing.TB, answer string, sources []skills.Source) int {
	t.Helper()
	body, _, _ := strings.Cut(answer, "\n## Sources\n")
	quotes := 0
	for _, block := range strings.Split(body, "\n- ")[1:] {
		at := strings.LastIndex(block, "” [Source ")
		if at < 0 || !strings.HasPrefix(block, "“") {
			t.Errorf("no quote in %q", block)
			continue
		}
		quote := strings.TrimPrefix(block[:at], "“")
		var n int
		if _, err := fmt.Sscanf(block[at:], "” [Source %d]", &n); err != nil {
			t.Errorf("no citation in %q", block)
		}
		found := false
		for _, s := range sources {
			found = found || s.N == n && strings.Contains(text.OneLine(s.Text), quote)
		}
		if !found {
			t.Errorf("source %d does not hold %q", n, quote)
		}
		quotes++
	}
	return quotes
}

func edgeSources(sources []skills.Source) []skills.EdgeSource {
	out := make([]skills.EdgeSource, len(sources))
	for i, s := range sources {
		out[i] = skills.EdgeSource{Source: s, Side: "support"}
	}
	return out
}

func FuzzSkills(f *testing.F) {
	s := set(f)
	f.Add("What are the elements of battery?", "battery and assault", "Battery requires intent. It requires contact:\n\n1. intent;\n2. contact.\n")
	f.Add("Compare A and B", "A. yes B. no", "# h\n“Odd” quotes “here. And ”there“ too.")
	f.Add("<data-0>", "\xff\xfe", "[Source 9] is a citation. - x\n- y\n## Sources\n")
	f.Add("What is it, and when does it apply?", "", "it it it")
	f.Add("(A) (B) one (A) x (B) y (C) z", "Z. a", "however, unless it does not apply, except for example 12 days.")
	f.Fuzz(func(t *testing.T, question, other, source string) {
		m := offline.New(nil)
		first := outputs(t, s, m, question, other, source)
		if again := outputs(t, s, m, question, other, source); first != again {
			t.Errorf("two answers to one question:\n%s\n%s", first, again)
		}
	})
}

// fastEnough leaves room for a slow machine: one call in ten times as long is felt.
const fastEnough = 10 * time.Millisecond

// TestFast holds every skill under 10 ms on five passages of 1,200 bytes; the
// best of several runs counts, for the machine may be busy.
func TestFast(t *testing.T) {
	if testing.Short() || racetest.On {
		t.Skip("a timing test")
	}
	vars := bigInputs(t)
	m := offline.New(nil)
	for _, name := range known(t, m) {
		if vars[name] == nil {
			t.Fatalf("skill %s has no input in this test", name)
		}
		best := time.Hour
		for n := 0; n < 100 && best > fastEnough; n++ {
			start := time.Now()
			if _, err := m.Generate(t.Context(), llm.Request{Skill: name, Origin: llm.Origin{Vars: vars[name]}}); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(start))
		}
		t.Logf("%s: %s", name, best)
		if best > fastEnough {
			t.Errorf("%s took %s; want under 10 ms", name, best)
		}
	}
}

// bigInputs returns vars for every skill over five passages of 1,200 bytes.
func bigInputs(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	sentence := "A carrier of goods number %d is liable for the loss of cargo unless it proves that rule %d of the schedule applies, however late notice %d arrives. "
	var sources []skills.Source
	for i := range 5 {
		text := ""
		for j := 0; len(text) < 1200; j++ {
			text += fmt.Sprintf(sentence, i, j, i*j)
		}
		sources = append(sources, skills.Source{N: i + 1, Title: "Carriage of goods", Section: "Liability", Text: text[:1200]})
	}
	question := "A carrier lost cargo in a storm after the shipper gave late notice. The shipper sues for the value. Is the carrier liable for the loss of the cargo, and what notice does the schedule require?"
	specs := []skills.FieldSpec{{Path: "carrier", Type: "string", Format: "company"}, {Path: "place", Type: "string", Format: "address"}, {Path: "total", Type: "number"}, {Path: "date", Type: "string", Format: "date"}}
	out := map[string]json.RawMessage{}
	for name, in := range map[string]any{
		skills.DetectPromptInjection: skills.DetectInput{Question: question},
		skills.ResolveFollowUp:       skills.FollowUpInput{Question: "and who pays for it?", Earlier: []skills.Said{{Question: question, Head: "Liability", Answer: sources[0].Text}}},
		skills.ClassifyAndRoute:      skills.ClassifyInput{Question: question},
		skills.PlanSynthesis:         skills.PlanInput{Question: question, QueryType: "multi_hop"},
		skills.QueryRewrite:          skills.RewriteInput{Question: question, Objective: question},
		skills.SynthesizeAndCite:     skills.SynthesizeInput{Question: question, Objective: question, Sources: sources},
		skills.AdaptiveReplan:        skills.ReplanInput{Objective: question, Findings: []skills.Finding{{Answer: sources[0].Text, Status: "completed"}}},
		skills.RerankPassages:        skills.RerankInput{Question: question, Passages: []skills.Passage{{N: 1, Text: sources[0].Text}, {N: 2, Text: sources[1].Text}}},
		skills.JudgeClaim:            skills.JudgeInput{Claim: question, Sources: sources},
		skills.GapQueries:            skills.GapInput{Question: question, Claims: []skills.JudgedClaim{{ID: 1, Text: question}, {ID: 2, Text: sources[0].Text}}, Asked: []string{question}},
		skills.RegenerateResponse: skills.RegenerateInput{Question: question, Response: question + " " + sources[0].Text, Claims: []skills.JudgedClaim{{ID: 1, Text: question}}, Sources: []skills.CitedSource{
			{Source: sources[0], Cite: "[Source 1]"}, {Source: sources[1], Cite: "[Source 2]"},
		}},
		skills.JudgeEdge:           skills.JudgeEdgeInput{From: "late notice", To: "loss of cargo", Sources: edgeSources(sources), Asked: []string{}},
		skills.DevilsAdvocate:      skills.DevilsAdvocateInput{From: "late notice", To: "loss of cargo", Quote: sources[0].Text[:40], Sources: edgeSources(sources)},
		skills.DraftEdges:          skills.DraftEdgesInput{Sources: sources},
		skills.ExtractRequirements: skills.RequirementsInput{Sources: []skills.RequirementSource{{Source: sources[0]}, {Source: sources[1]}}},
		skills.VerifyGrounding:     skills.GroundingInput{Question: question, Requirement: skills.QuotedRequirement{ID: "REQ-S001", Quote: sources[0].Text[:300]}},
		skills.ComposeAnswer: skills.ComposeInput{Question: question, Requirements: []skills.QuotedRequirement{
			{ID: "REQ-S001", Quote: sources[0].Text[:300]}, {ID: "REQ-P001", Quote: sources[1].Text[:300]},
		}},
		skills.ReviewAnswer: skills.ReviewInput{
			Question: question, Statements: []skills.ReviewStatement{{N: 1, Text: sources[0].Text[:300], IDs: []string{"REQ-S001"}}},
			Requirements: []skills.QuotedRequirement{{ID: "REQ-S001", Quote: sources[0].Text[:300]}},
		},
		skills.ExtractFields:    skills.ExtractInput{Fields: specs, Text: sources[0].Text, Boxes: []skills.LaidOut{}},
		skills.RefineExtraction: skills.RefineInput{Fields: specs, Text: sources[0].Text, Boxes: []skills.LaidOut{}},
		skills.VerifyExtraction: skills.VerifyExtractionInput{Fields: specs, Text: sources[0].Text, Values: []skills.ExtractedField{{Path: "total", Value: "12"}}},
		skills.SelectChoice: skills.SelectInput{Question: question, Research: sources[0].Text, Sources: sources, Choices: []skills.Choice{
			{Letter: "A", Text: "Yes, because a carrier is liable for loss of cargo."}, {Letter: "B", Text: "Yes, because notice was given."},
			{Letter: "C", Text: "No, because the storm excuses the carrier."}, {Letter: "D", Text: "No, unless the rule of the schedule applies."},
		}},
	} {
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = data
	}
	return out
}

func BenchmarkSkills(b *testing.B) {
	vars := bigInputs(b)
	m := offline.New(nil)
	for _, name := range known(b, m) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Generate(b.Context(), llm.Request{Skill: name, Origin: llm.Origin{Vars: vars[name]}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestLimitedOffline(t *testing.T) {
	llmtest.TestModel(t, llm.Limit(2)(offline.New(nil)))
}

func ExampleNew() {
	vars, err := json.Marshal(skills.SynthesizeInput{
		Question: "When is a defender liable to a bystander?",
		Sources:  []skills.Source{{N: 1, Title: "Self-defense", Section: "Bystanders", Text: "A defender is liable to a bystander when the force used was unreasonable. Courts differ on much else."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := offline.New(nil).Generate(context.Background(), llm.Request{Skill: skills.SynthesizeAndCite, Origin: llm.Origin{Vars: vars}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text)
	// Output:
	// ### Rule
	// - “A defender is liable to a bystander when the force used was unreasonable.” [Source 1]
	//
	// ## Sources
	// - [Source 1] Self-defense, Bystanders
}
