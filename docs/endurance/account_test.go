package endurance

import (
	"fmt"
	"os"
	"strings"
)

// A line is what a client has sent to a thread: a question, or an edit of the state.
type line struct {
	mark  string // in its text and in no other
	least int    // how often it must be in the thread: 0 for what may have been lost, or 1
	// answers are how many answers it must have and may have.
	fewest, most int
}

// A message is one of a thread, as the server shows it.
type message struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Content content `json:"content"`
}

// An account is what a client knows of a thread: its lines in their order.
type account []*line

// check compares the account with the thread. What it returns is wrong.
func (a account) check(messages []message) (wrong []string) {
	at, answers, known := map[string]int{}, map[string]int{}, map[string]bool{}
	last := -1
	for _, m := range messages {
		if known[m.ID] {
			wrong = append(wrong, fmt.Sprintf("two messages have the ID %s", m.ID))
		}
		known[m.ID] = true
		if m.Type == "ai" {
			asked := strings.TrimPrefix(m.ID, "reply-")
			if !known[asked] {
				wrong = append(wrong, fmt.Sprintf("answer %s has no question before it", m.ID))
			}
			answers[asked]++
		}
	}
	for _, m := range messages {
		if m.Type != "human" {
			continue
		}
		n := -1
		for i, l := range a {
			if strings.Contains(m.Content.text, l.mark) {
				n = i
			}
		}
		if n < 0 {
			wrong = append(wrong, fmt.Sprintf("nobody has sent the message %s: %.80q", m.ID, m.Content.text))
			continue
		}
		if n < last {
			wrong = append(wrong, fmt.Sprintf("%s comes before %s", a[last].mark, a[n].mark))
		}
		last = max(n, last)
		l := a[n]
		if at[l.mark]++; at[l.mark] > 1 {
			wrong = append(wrong, fmt.Sprintf("%s is there %d times", l.mark, at[l.mark]))
		}
		if got := answers[m.ID]; got < l.fewest || got > l.most {
			wrong = append(wrong, fmt.Sprintf("%s has %d answers, and must have %d to %d", l.mark, got, l.fewest, l.most))
		}
	}
	for _, l := range a {
		if at[l.mark] < l.least {
			wrong = append(wrong, l.mark+" was acknowledged and is not there")
		}
	}
	return wrong
}

// A citation says where words of an answer are from.
type citation struct {
	From int    `json:"start_index"` // of the answer's text, in characters
	To   int    `json:"end_index"`
	Text string `json:"cited_text"`
	Doc  string `json:"doc"`
	Path string `json:"path"`
	At   int    `json:"start"` // of the document, in bytes
	End  int    `json:"end"`
}

// check compares a quote with the bytes of its document and with the answer that shows it.
// A document without a path is a text that the question brought.
func (c citation) check(answer, brought string) error {
	doc := []byte(brought)
	if c.Path != "" {
		var err error
		if doc, err = os.ReadFile(c.Path); err != nil {
			return err
		}
	}
	if c.At < 0 || c.End > len(doc) || c.At >= c.End || string(doc[c.At:c.End]) != c.Text {
		return fmt.Errorf("bytes %d to %d of %s%s are not the quote %q", c.At, c.End, c.Doc, c.Path, c.Text)
	}
	shown := []rune(answer)
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if c.From < 0 || c.To > len(shown) || c.From >= c.To || flat(string(shown[c.From:c.To])) != flat(c.Text) {
		return fmt.Errorf("characters %d to %d of the answer are not the quote %q", c.From, c.To, c.Text)
	}
	return nil
}
