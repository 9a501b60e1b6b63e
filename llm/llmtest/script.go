package llmtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.com/assay/llm"
)

// An Answer is one scripted reply: a text, tool calls, or an error.
type Answer struct {
	Text      string
	Calls     []llm.ToolCall // with or without Text
	Reasoning string
	Err       error
	Chunks    []string // streamed on request, also before Err; default: Text as one chunk
}

// A Script answers the calls of each skill from its list, in order. A call without a scripted
// answer is an *UnscriptedError. It is safe for concurrent use: concurrent calls of one skill take
// its answers in the order in which they arrive. Do not change the fields once it is in use.
type Script struct {
	Answers map[string][]Answer // by skill
	Model   string              // the model's name in responses; default "script"

	mu       sync.Mutex
	requests []llm.Request
	calls    map[string]int
}

// An UnscriptedError reports a call without a scripted answer.
type UnscriptedError struct {
	Skill    string
	Call     int // 1-based
	Scripted int // answers that the script has for the skill
}

func (e *UnscriptedError) Error() string {
	return fmt.Sprintf("call %d of skill %q is not scripted: the script has %d answers for it; add one to Script.Answers[%q]", e.Call, e.Skill, e.Scripted, e.Skill)
}

// Generate returns the next answer for the request's skill. A call with an ended context is not
// recorded and takes no answer.
func (s *Script) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	answer, err := s.next(req)
	if err != nil {
		return llm.Response{}, err
	}
	answer.stream(req.OnText)
	if answer.Err != nil {
		return llm.Response{}, answer.Err
	}
	usage := llm.Usage{OutputTokens: len(strings.Fields(answer.Text))}
	for _, c := range answer.Calls {
		usage.OutputTokens += len(strings.Fields(string(c.Arguments)))
	}
	for _, m := range req.Messages {
		usage.InputTokens += len(strings.Fields(m.Text))
		for _, r := range m.Results {
			usage.InputTokens += len(strings.Fields(r.Text))
		}
	}
	name := s.Model
	if name == "" {
		name = "script"
	}
	return llm.Response{Text: answer.Text, Calls: slices.Clone(answer.Calls), Reasoning: answer.Reasoning, Model: name, Usage: usage}, nil
}

func (a Answer) stream(to func(llm.Chunk)) {
	if to == nil {
		return
	}
	chunks := a.Chunks
	if chunks == nil && a.Text != "" {
		chunks = []string{a.Text}
	}
	for _, text := range chunks {
		to(llm.Chunk{Text: text})
	}
}

func (s *Script) next(req llm.Request) (Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Vars, req.Schema, req.Messages = slices.Clone(req.Vars), slices.Clone(req.Schema), slices.Clone(req.Messages)
	s.requests = append(s.requests, req)
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[req.Skill]++
	call, answers := s.calls[req.Skill], s.Answers[req.Skill]
	if call > len(answers) {
		return Answer{}, &UnscriptedError{Skill: req.Skill, Call: call, Scripted: len(answers)}
	}
	return answers[call-1], nil
}

// Requests returns all requests in order of arrival, also unscripted ones.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Calls returns how often a skill was asked.
func (s *Script) Calls(skill string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[skill]
}

// Total returns how often any skill was asked.
func (s *Script) Total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Unused names the unused answers, as "skill: answer 2 of 3", sorted by skill. A test that leaves
// some unused tested less than it scripted.
func (s *Script) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.Answers))
	for name := range s.Answers {
		names = append(names, name)
	}
	slices.Sort(names)
	var unused []string
	for _, name := range names {
		for i := s.calls[name]; i < len(s.Answers[name]); i++ {
			unused = append(unused, fmt.Sprintf("%s: answer %d of %d", name, i+1, len(s.Answers[name])))
		}
	}
	return unused
}
