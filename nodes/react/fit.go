package react

import (
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"example.com/assay/llm"
)

// size estimates a message's tokens: one for every four bytes, and four more. Images count 0.
func size(m *llm.Message) int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	for _, r := range m.Results {
		n += len(r.Text)
	}
	return n/4 + 4
}

// tokens estimates the part of a request that shows these messages.
func (v *View) tokens(list []Message) int {
	sum := 0
	shown, _ := v.render(nil, list, 0)
	for i := range shown {
		sum += size(&shown[i])
	}
	return sum
}

// leastResult is the least View.MaxResult: room for the mark of a shortened result.
const leastResult = 64

// shortened cuts a result and says so.
func (v *View) shortened(text string) string {
	if v.MaxResult == 0 || len(text) <= v.MaxResult {
		return text
	}
	mark := fmt.Sprintf("\n(shortened: the result has %d bytes)", len(text))
	end := max(v.MaxResult-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// shorten sets the greatest MaxResult with which messages have at most this many tokens, or the
// least one if none does.
func (v *View) shorten(list []Message, room int) {
	if v.tokens(list) <= room {
		return
	}
	longest := leastResult
	for _, m := range list {
		for _, r := range m.Results {
			longest = max(longest, len(r.Text))
		}
	}
	tooMany := sort.Search(longest-leastResult, func(n int) bool {
		v.MaxResult = leastResult + n
		return v.tokens(list) > room
	})
	v.MaxResult = leastResult + max(tooMany-1, 0)
}

// unitBefore returns where the part before a message begins: calls with their results, or one
// message.
func unitBefore(list []Message, at int) int {
	at--
	for at > 0 && list[at].Role == llm.ToolRole {
		at--
	}
	return at
}

// questionAt returns the index of the person's last message, or -1.
func questionAt(list []Message) int {
	at := len(list) - 1
	for at >= 0 && !list[at].person() {
		at--
	}
	return at
}

// fit returns a view of at most this many tokens. It shows summaries, the question of the turn and
// its last part, whose results it shortens where they have to be. Then come the turn's parts before,
// newest first, and whole earlier turns.
func (v View) fit(list []Message, system string, tokens int) (View, error) {
	room := tokens
	if system != "" {
		room -= size(&llm.Message{Text: system})
	}
	question := questionAt(list)
	from := len(list)
	if from > question+1 {
		from = unitBefore(list, from)
	}
	must := slices.Concat(list[max(question, 0):question+1], list[from:])
	for _, m := range list[:from] {
		if m.Sum != nil {
			must = append(must, m)
		}
	}
	v.shorten(must, room)
	if room -= v.tokens(must); room < 0 {
		return v, fmt.Errorf("fitting the conversation into %d tokens: the system prompt, the question and the last calls need %d: raise the limit, or shorten them", tokens, tokens-room)
	}
	fits := func(begin, end int) bool {
		n := 0
		if list[begin].Sum == nil { // else counted already
			n = v.tokens(list[begin:end])
		}
		room -= n
		return room >= 0
	}
	for from > question+1 {
		begin := unitBefore(list, from)
		if !fits(begin, from) {
			break
		}
		from = begin
	}
	first := max(question, 0)
	for at := first; from <= question+1 && at > 0; {
		begin := unitBefore(list, at)
		if !fits(begin, at) {
			break
		}
		if at = begin; list[at].person() {
			first = at
		}
	}
	for i, m := range list[:from] {
		if (i < first || i > question) && m.Sum == nil {
			v.Skip = append(v.Skip, m.ID)
		}
	}
	return v, nil
}

// seen returns the messages that a view shows. A summary stands where what it sums up began.
func (v *View) seen(list []Message) []Message {
	if len(v.Skip) == 0 && !summed(list) {
		return list
	}
	by, skip := map[string]int{}, map[string]bool{"": false}
	for i, m := range list {
		if m.Sum != nil {
			for _, id := range m.Sum.For {
				by[id] = i
			}
		}
	}
	for _, id := range v.Skip {
		skip[id] = id != ""
	}
	out, shown := make([]Message, 0, len(list)), map[int]bool{}
	for i, m := range list {
		at, covered := by[m.ID]
		if !covered || m.ID == "" {
			at = i
		}
		if m = list[at]; !skip[m.ID] && !shown[at] {
			out = append(out, m)
		}
		shown[at] = m.Sum != nil
	}
	return out
}

// summed reports whether a message is a summary.
func summed(list []Message) bool {
	for i := range list {
		if list[i].Sum != nil {
			return true
		}
	}
	return false
}
