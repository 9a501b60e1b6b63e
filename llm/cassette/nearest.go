package cassette

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/assay/llm"
)

// An UnknownRequestError reports that a cassette has no recording for a request, or no unused one.
type UnknownRequestError struct {
	Skill string
	Used  int // recordings of the same request that were used before
	// Nearest is the most similar recording, as "call 3, skill …": first by skill, then by the
	// words of the messages. It is empty when the cassette is empty, and when Used is not 0.
	Nearest string
	// Difference describes the first difference from Nearest, in at most 400 bytes.
	Difference string
}

func (e *UnknownRequestError) Error() string {
	text := fmt.Sprintf("the cassette has no recording of this request of skill %q", e.Skill)
	switch {
	case e.Used > 0:
		text = fmt.Sprintf("the cassette has no further recording of this request of skill %q: %d were used", e.Skill, e.Used)
	case e.Nearest == "":
		text += ", nor any other"
	default:
		text += fmt.Sprintf("; the nearest is %s: %s", e.Nearest, e.Difference)
	}
	return text
}

func unknown(req request, used int, recordings []recording) error {
	e := &UnknownRequestError{Skill: req.Skill, Used: used}
	if used > 0 {
		return e
	}
	models := slices.DeleteFunc(slices.Clone(recordings), func(r recording) bool { return r.Outside != nil })
	same := slices.DeleteFunc(slices.Clone(models), func(r recording) bool { return r.Request.Skill != req.Skill })
	if len(same) == 0 {
		same = models
	}
	words := req.words()
	best, least := -1, 0
	for i, rec := range same {
		if d := distance(rec.Request.words(), words); best < 0 || d < least {
			best, least = i, d
		}
	}
	if best >= 0 {
		e.Nearest = same[best].name()
		e.Difference = llm.Cut(difference(same[best].Request, req), 400)
	}
	return e
}

// mark is the mark of a skill's data fences. It contains a hash of the input, and would otherwise
// be the first difference of any two prompts.
var mark = regexp.MustCompile(`data-[0-9a-f]{8}\b`)

// words returns the words of all messages.
func (r request) words() []string {
	var out []string
	for _, m := range r.Messages {
		out = append(out, m.words()...)
	}
	return out
}

func (m message) words() []string {
	out := strings.Fields(mark.ReplaceAllString(m.Text, "data"))
	for _, c := range m.Calls {
		out = append(append(out, c.Name), strings.Fields(c.Arguments)...)
	}
	for _, r := range m.Results {
		out = append(append(out, r.Name), strings.Fields(r.Text)...)
	}
	return out
}

// maxWords bounds the words that distance compares one by one, so a long prompt does not take
// seconds.
const maxWords = 500

// distance is the edit distance of two lists of words, after their common beginning and end. If
// either list has more than maxWords left, its further words count as different.
func distance(a, b []string) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	rest := max(len(a)-maxWords, len(b)-maxWords, 0)
	a, b = a[:min(len(a), maxWords)], b[:min(len(b), maxWords)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)] + rest
}

// difference describes the first difference between a recorded request and the current one.
func difference(recorded, asked request) string {
	if recorded.Skill != asked.Skill {
		return fmt.Sprintf("it is of another skill than %q", asked.Skill)
	}
	for i := range min(len(recorded.Messages), len(asked.Messages)) {
		r, a := recorded.Messages[i], asked.Messages[i]
		if r.Role != a.Role {
			return fmt.Sprintf("message %d is of %s there and of %s here", i+1, r.Role, a.Role)
		}
		if !slices.Equal(r.Images, a.Images) {
			return fmt.Sprintf("message %d has other images", i+1)
		}
		from, to := r.words(), a.words()
		for j := range max(len(from), len(to)) {
			if j >= len(from) || j >= len(to) || from[j] != to[j] {
				return fmt.Sprintf("message %d (%s) from word %d on is %q there and %q here", i+1, r.Role, j+1, few(from, j), few(to, j))
			}
		}
	}
	switch {
	case len(recorded.Messages) != len(asked.Messages):
		return fmt.Sprintf("it has %d messages there and %d here", len(recorded.Messages), len(asked.Messages))
	case recorded.SkillHash != asked.SkillHash:
		return "the skill's file has changed, though not these messages"
	case recorded.Schema != asked.Schema:
		return "the schema of the answer has changed"
	case recorded.Tools != asked.Tools:
		return "the tools have changed"
	case string(recorded.Sampling) != string(asked.Sampling):
		return fmt.Sprintf("the sampling is %s there and %s here", set(recorded.Sampling), set(asked.Sampling))
	case recorded.Vars != asked.Vars:
		return "the skill's input has changed in what the prompt does not show"
	}
	return "only spaces, marks of data or ids of tool calls differ"
}

func set(sampling json.RawMessage) string {
	if sampling == nil {
		return "not set"
	}
	return string(sampling)
}

// few returns at most eight words, from the one before n on.
func few(words []string, n int) string {
	from := min(max(n-1, 0), len(words))
	return strings.Join(words[from:min(n+7, len(words))], " ")
}
