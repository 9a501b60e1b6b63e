package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// A teller makes the events of a response's stream. They depend only on the run's events, so a
// later stream has the same.
type teller struct {
	*turn
	send  func(string) error
	after int // the number of the last event that the client has
	next  int
	index int             // of the next item
	done  map[string]bool // IDs of items
	open  *writing
}

// A writing is the message that is being written.
type writing struct {
	part
	index int
	sent  string // of its text
	whole bool   // the graph has said it
}

// tell streams a response after an event.
func (c *call) tell(t *turn, after int) error {
	return c.pour(func(ctx context.Context, send func(string) error) error {
		t := *t // the caller's may be in use, after the client has left
		s := &teller{turn: &t, send: send, after: after, done: map[string]bool{}}
		for _, kind := range []string{"created", "in_progress"} {
			if err := s.say(kind, map[string]any{"response": s.response(nil, nil)}); err != nil {
				return err
			}
		}
		a, err := c.follow(ctx, &t, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var failed *failure
		switch {
		case err == nil:
			return s.finish(a)
		case errors.As(err, &failed):
			return errors.Join(s.close(), s.say("failed", map[string]any{"response": s.response(nil, failed)}))
		}
		return s.event("error", map[string]any{"code": "server_error", "message": err.Error(), "param": nil})
	})
}

func (s *teller) say(kind string, data map[string]any) error { return s.event("response."+kind, data) }

func (s *teller) event(kind string, data map[string]any) error {
	data["type"], data["sequence_number"] = kind, s.next
	if s.next++; s.next-1 <= s.after {
		return nil
	}
	body, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return s.send(fmt.Sprintf("event: %s\ndata: %s\n\n", kind, body))
}

// finish says what was not said before, and the end.
func (s *teller) finish(a *answer) error {
	for _, p := range append(a.parts, s.questions(a)...) {
		if err := s.part(p); err != nil {
			return err
		}
	}
	return errors.Join(s.close(), s.say("completed", map[string]any{"response": s.response(a, nil)}))
}

// token says a piece of message n.
func (s *teller) token(n int, text string) error {
	return errors.Join(s.begin(part{kind: partText, n: n}), s.delta(text))
}

// part says a part, or what is new about it.
func (s *teller) part(p part) error {
	open := s.open != nil && s.open.n == p.n
	if s.open != nil && !open && !s.open.whole { // another task says it meanwhile
		writing := s.open
		s.open = nil
		err := errors.Join(s.part(p), s.close())
		s.open = writing
		return err
	}
	switch {
	case p.kind == partText && (open || !s.done[s.id(p)]):
		err := s.begin(p)
		s.open.part, s.open.whole = p, true
		if rest, ok := strings.CutPrefix(p.text, s.open.sent); ok { // otherwise the end has the text
			err = errors.Join(err, s.delta(rest))
		}
		return err
	case s.done[s.id(p)]:
		return nil
	case !open:
		if err := s.close(); err != nil {
			return err
		}
	}
	item := s.item(p)
	early := maps.Clone(item)
	if p.kind != partApproval {
		early["status"] = "in_progress"
	}
	s.done[s.id(p)] = true
	s.index++
	return errors.Join(s.of(s.index-1, "output_item.added", "item", early), s.of(s.index-1, "output_item.done", "item", item))
}

// of says an event of an item.
func (s *teller) of(index int, kind, field string, value any) error {
	return s.say(kind, map[string]any{"output_index": index, field: value})
}

// inText says an event of the open message.
func (s *teller) inText(kind string, data map[string]any) error {
	data["output_index"], data["content_index"], data["item_id"] = s.open.index, 0, s.id(s.open.part)
	return s.say(kind, data)
}

// begin opens a message unless it is open.
func (s *teller) begin(p part) error {
	if s.open != nil && s.open.n == p.n {
		return nil
	}
	err := s.close()
	s.open = &writing{part: p, index: s.index}
	s.index++
	s.done[s.id(p)] = true
	item := s.item(p)
	item["status"], item["content"] = "in_progress", []any{}
	return errors.Join(err, s.of(s.open.index, "output_item.added", "item", item), s.inText("content_part.added", map[string]any{"part": part{}.content()}))
}

func (s *teller) delta(text string) error {
	for piece := range pieces(text) {
		s.open.sent += piece
		if err := s.inText("output_text.delta", map[string]any{"delta": piece, "logprobs": []any{}}); err != nil {
			return err
		}
	}
	return nil
}

// close ends the open message. Text that did not become a message is incomplete.
func (s *teller) close() error {
	if s.open == nil {
		return nil
	}
	p, status := s.open.part, "completed"
	if !s.open.whole {
		p.text, status = s.open.sent, "incomplete"
	}
	var err error
	for i, c := range p.citations {
		err = errors.Join(err, s.inText("output_text.annotation.added", map[string]any{"annotation_index": i, "annotation": c.flat()}))
	}
	item := s.item(p)
	item["status"] = status
	err = errors.Join(err,
		s.inText("output_text.done", map[string]any{"text": p.text, "logprobs": []any{}}),
		s.inText("content_part.done", map[string]any{"part": p.content()}),
		s.of(s.open.index, "output_item.done", "item", item))
	s.open = nil
	return err
}
