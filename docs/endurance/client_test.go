package endurance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

const (
	// patience is how long a run may take when nothing is broken.
	patience = 3 * time.Minute
	// turns are after how many operations a thread is removed.
	turns = 6
)

// content is the content of a message: a text, or blocks with citations.
type content struct {
	text      string
	citations []citation
}

func (c *content) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &c.text) == nil {
		return nil
	}
	var blocks []struct {
		Text      string     `json:"text"`
		Citations []citation `json:"annotations"`
	}
	err := json.Unmarshal(data, &blocks)
	for _, b := range blocks {
		c.text += b.Text
		c.citations = append(c.citations, b.Citations...)
	}
	return err
}

// A refusal is an answer of the server that is not 200.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, strings.TrimSpace(r.text)) }

// refused reports whether a request was refused for good, so that nothing was done.
func refused(err error) bool {
	r := (*refusal)(nil)
	return errors.As(err, &r) && r.status < 500
}

func status(err error) int {
	if r := (*refusal)(nil); errors.As(err, &r) {
		return r.status
	}
	return 0
}

// A thread is one that a client has.
type thread struct {
	id, graph string
	lines     account
	brought   map[string]string // the documents of extractions, by the mark
	ops       int
	made      bool // the server has it
}

// A client is one caller. It does one thing after the other.
type client struct {
	*installation
	name    string
	random  *rand.Rand
	n       int
	threads map[string]*thread // by graph
}

func (c *client) mark() string {
	c.n++
	return fmt.Sprintf("%sn%dq", c.name, c.n)
}

// call makes a request and reads the answer into out.
func (c *client) call(method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := c.request(ctx, method, path, body, "")
	if err != nil {
		return err
	}
	data, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && out != nil {
		err = json.Unmarshal(data, out)
	}
	return err
}

func (c *client) request(ctx context.Context, method, path string, body any, last string) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.addr+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		text, err := io.ReadAll(answer.Body)
		return nil, errors.Join(&refusal{answer.StatusCode, string(text)}, err, answer.Body.Close())
	}
	return answer, nil
}

// insist makes a request that may be repeated until the server answers it.
func (c *client) insist(method, path string, body, out any) error {
	var began time.Time // of the time without a fault
	for {
		err := c.call(method, path, body, out)
		if err == nil || refused(err) {
			return err
		}
		if c.faulty(10 * time.Second) {
			began = time.Time{}
		} else if began.IsZero() {
			began = time.Now()
		} else if time.Since(began) > patience {
			return fmt.Errorf("no answer for %v in which nothing was broken: %w", patience, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// live is the life of a client.
func (c *client) live() {
	for c.sleep(time.Duration(c.random.IntN(1500)) * time.Millisecond) {
		c.step()
	}
}

// step does one thing.
func (c *client) step() {
	graphs := []string{"research", "research", "comply", "verify", "extract"}
	g := graphs[c.random.IntN(len(graphs))]
	defer c.doing(c.name + " " + g)()
	if c.ctx.Err() != nil {
		return // it waited for quiet
	}
	t := c.threads[g]
	if t == nil {
		t = &thread{id: uuid(c.random), graph: g, brought: map[string]string{}}
		c.threads[g] = t
	}
	if !t.made {
		err := c.insist("POST", "/threads", map[string]any{"thread_id": t.id, "if_exists": "do_nothing", "metadata": map[string]string{"graph_id": g}}, nil)
		if c.outcome("thread", t, err); err != nil {
			return
		}
		t.made = true
	}
	if t.ops++; t.ops > turns {
		c.remove(t)
		return
	}
	switch n := c.random.IntN(20); {
	case n < 2:
		c.edit(t)
	case n < 4:
		c.prune(t)
	case n < 7:
		c.stopAndResume(t)
	default:
		c.ask(t, n == 7)
	}
	c.audit(t)
}

// outcome counts what was done, and calls a refusal a violation.
func (c *client) outcome(op string, t *thread, err error) {
	switch {
	case err == nil:
		c.count(op, "done")
	case c.ctx.Err() != nil:
		c.count(op, "stopped")
	case refused(err):
		c.count(op, "refused")
		c.violate(op, t.id, "%s refused: %v", op, err)
	default:
		c.count(op, "no answer")
		if !c.faulty(patience) {
			c.violate(op, t.id, "%v", err)
		}
	}
}

// said makes the input of a run.
func (c *client) said(t *thread) (l *line, input any) {
	l = &line{mark: c.mark(), most: 1}
	about := subjects[c.random.IntN(len(subjects))]
	text := fmt.Sprintf("When must a skipper report the %s to the harbour office, and what is the fee? (%s)", about, l.mark)
	switch t.graph {
	case "verify":
		text = fmt.Sprintf("A skipper must report the %s to the harbour office. The fee for the %s is ninety-nine crowns. (%s)", about, about, l.mark)
	case "extract":
		text = fmt.Sprintf("Receipt %s\n\npayee: Harbour office\ntotal: %d.50\n", l.mark, 10+c.random.IntN(80))
		t.brought[l.mark] = text
	}
	t.lines = append(t.lines, l)
	return l, map[string]any{"messages": []any{map[string]string{"role": "user", "content": text}}}
}

// request of a run.
func (t *thread) run(mark string, input any) map[string]any {
	body := map[string]any{
		"assistant_id": t.graph, "input": input, "metadata": map[string]string{"mark": mark},
		"stream_mode": []string{"values", "updates", "messages-tuple"}, "multitask_strategy": "enqueue",
	}
	if t.graph == "extract" {
		body["context"] = map[string]any{"schema": map[string]any{"type": "object", "properties": map[string]any{"total": map[string]string{"type": "number"}, "payee": map[string]string{"type": "string"}}}}
	}
	return body
}

// ask asks in one of four ways, and reads the events to the end. With cancel it cancels
// the run.
func (c *client) ask(t *thread, cancel bool) {
	l, input := c.said(t)
	body := t.run(l.mark, input)
	way := []string{"ask, begun and followed", "ask, streamed", "ask, waited for", "ask, left and come back to"}[c.random.IntN(4)]
	var run string
	var seen []event
	var err error
	switch way {
	case "ask, streamed":
		run, seen, err = c.stream(t, body)
	case "ask, waited for":
		err = c.call("POST", "/threads/"+t.id+"/runs/wait", body, nil)
	default:
		var made struct {
			ID string `json:"run_id"`
		}
		if err = c.call("POST", "/threads/"+t.id+"/runs", body, &made); err == nil {
			run = made.ID
		}
	}
	if err != nil && refused(err) {
		l.most = 0
		c.outcome(way, t, err)
		return
	}
	if run == "" {
		if run, err = c.find(t, l.mark); err != nil || run == "" {
			if c.untaken(way, t, err) {
				l.most = 0
			}
			return
		}
	}
	if cancel {
		way = "cancel"
		if err := c.insist("POST", "/threads/"+t.id+"/runs/"+run+"/cancel", nil, nil); err != nil && !c.faulty(patience) {
			c.violate(way, t.id, "run %s: %v", run, err)
		}
	}
	ended := c.follow(t, run, seen, way == "ask, left and come back to")
	c.ended(way, ended)
	if l.least = 0; ended == "success" {
		l.least, l.fewest = 1, 1
	}
}

// untaken counts a request of which no run is known, and reports whether there is none.
func (c *client) untaken(op string, t *thread, err error) bool {
	if err == nil {
		c.count(op, "not taken")
		return true
	}
	c.outcome(op, t, err)
	return false
}

// ended counts how a run ended.
func (c *client) ended(way, status string) {
	if status == "" {
		status = "not seen to its end"
	}
	c.count(way, status)
}

// find finds the run with a mark, after a request of which the answer was lost. Without one
// it is empty.
func (c *client) find(t *thread, mark string) (string, error) {
	var list []struct {
		ID       string `json:"run_id"`
		Metadata struct {
			Mark string `json:"mark"`
		} `json:"metadata"`
	}
	if err := c.insist("GET", "/threads/"+t.id+"/runs?limit=100", nil, &list); err != nil {
		return "", err
	}
	var run string
	for _, r := range list {
		if r.Metadata.Mark != mark {
			continue
		}
		if run != "" {
			c.violate("run", t.id, "%s has two runs, %s and %s", mark, r.ID, run)
		}
		run = r.ID
	}
	return run, nil
}

// stopAndResume lets a run stop before its answer, and goes on with it.
func (c *client) stopAndResume(t *thread) {
	l, input := c.said(t)
	body := t.run(l.mark, input)
	body["interrupt_before"] = []string{"reply"}
	ended := c.whole("stop", t, l, body)
	if ended != "success" {
		return
	}
	l.least, l.most = 1, 0
	c.audit(t)
	l.most = 1
	if c.whole("resume", t, l, t.run(l.mark+"r", nil)) == "success" {
		l.fewest = 1
	}
}

// whole begins a run and follows it to its end.
func (c *client) whole(op string, t *thread, l *line, body map[string]any) string {
	var made struct {
		ID string `json:"run_id"`
	}
	mark := body["metadata"].(map[string]string)["mark"]
	err := c.call("POST", "/threads/"+t.id+"/runs", body, &made)
	if err != nil && refused(err) {
		c.outcome(op, t, err)
		return ""
	}
	if err != nil {
		if made.ID, err = c.find(t, mark); err != nil || made.ID == "" {
			if c.untaken(op, t, err) && mark == l.mark {
				l.most = 0
			}
			return ""
		}
	}
	ended := c.follow(t, made.ID, nil, false)
	c.ended(op, ended)
	return ended
}

// edit adds a message by hand.
func (c *client) edit(t *thread) {
	l := &line{mark: c.mark()}
	t.lines = append(t.lines, l)
	err := c.call("POST", "/threads/"+t.id+"/state", map[string]any{"as_node": "reply", "values": map[string]any{"messages": []any{map[string]string{"role": "user", "content": "Noted: " + l.mark}}}}, nil)
	if err == nil {
		l.least = 1
	}
	c.outcome("edit", t, err)
}

// prune forgets what the thread was before.
func (c *client) prune(t *thread) {
	c.outcome("prune", t, c.insist("POST", "/threads/prune", map[string]any{"thread_ids": []string{t.id}, "strategy": "keep_latest"}, nil))
}

// remove removes the thread. The client begins another one.
func (c *client) remove(t *thread) {
	delete(c.threads, t.graph)
	err := c.insist("DELETE", "/threads/"+t.id, nil, nil)
	if status(err) == http.StatusNotFound {
		err = nil // an answer was lost
	}
	if c.outcome("remove", t, err); err != nil {
		return
	}
	if err := c.insist("GET", "/threads/"+t.id, nil, nil); status(err) != http.StatusNotFound && !c.faulty(patience) {
		c.violate("remove", t.id, "the thread was removed, and then: %v", err)
	}
}

// audit compares the thread with the account, and its quotes with their documents.
func (c *client) audit(t *thread) {
	var state struct {
		Values struct {
			Messages []message `json:"messages"`
		} `json:"values"`
	}
	if err := c.insist("GET", "/threads/"+t.id+"/state", nil, &state); err != nil {
		c.outcome("state", t, err)
		return
	}
	list := state.Values.Messages
	for _, wrong := range t.lines.check(list) {
		c.violate("account", t.id, "%s: %s", t.graph, wrong)
	}
	for i, m := range list {
		var brought string
		for mark, text := range t.brought {
			if i > 0 && strings.Contains(list[i-1].Content.text, mark) {
				brought = text
			}
		}
		for _, q := range m.Content.citations {
			c.count("quote", "checked")
			if err := q.check(m.Content.text, brought); err != nil {
				c.violate("quote", t.id, "%s: %v", m.ID, err)
			}
		}
	}
}

// An event is one of a stream.
type event struct{ name, data, id string }

// stream begins a run and reads its events until it is cut off.
func (c *client) stream(t *thread, body any) (run string, seen []event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := c.request(ctx, "POST", "/threads/"+t.id+"/runs/stream", body, "")
	if err != nil {
		return "", nil, err
	}
	place := answer.Header.Get("Content-Location")
	run = place[strings.LastIndex(place, "/")+1:]
	seen, _, _ = read(answer.Body, -1) // the rest is followed
	_ = answer.Body.Close()            // it may have been cut off
	seen, _, _ = numbered(seen)
	return run, seen, nil
}

// read reads events, at most so many when that is not below 0, and reports whether the
// stream came to its end.
func read(r io.Reader, most int) (seen []event, whole bool, err error) {
	lines := bufio.NewReader(r)
	for ev := (event{}); ; {
		text, err := lines.ReadString('\n')
		if err == io.EOF && text == "" {
			return seen, true, nil
		}
		if err != nil {
			return seen, false, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ": ")
		switch name {
		case "":
			if ev.name != "" {
				seen = append(seen, ev)
			}
			ev = event{}
		case "event":
			ev.name = value
		case "data":
			ev.data = value
		case "id":
			ev.id = value
		}
		if most >= 0 && len(seen) >= most {
			return seen, false, nil
		}
	}
}

// follow reads the events of a run to its end, over all faults, and returns how it ended;
// nothing when it was not seen to end.
func (c *client) follow(t *thread, run string, seen []event, leave bool) string {
	place := "/threads/" + t.id + "/runs/" + run
	most := -1
	if leave {
		most = 2
	}
	var began time.Time // of the time without a fault
	for {
		var last string
		if len(seen) > 0 {
			last = seen[len(seen)-1].id
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		answer, err := c.request(ctx, "GET", place+"/stream", nil, last)
		if err == nil {
			var more []event
			var whole bool
			more, whole, err = read(answer.Body, most)
			_ = answer.Body.Close() // it may have been cut off
			var failure string
			var unread bool
			more, failure, unread = numbered(more)
			seen, most = append(seen, more...), -1
			var now struct {
				Status string `json:"status"`
			}
			if whole && !unread && c.insist("GET", place, nil, &now) == nil && now.Status != "running" && now.Status != "pending" {
				cancel()
				c.examine(t, run, now.Status, failure, seen)
				return now.Status
			}
		}
		cancel()
		if err != nil && refused(err) {
			c.violate("run", t.id, "run %s was taken and is not there: %v", run, err)
			return ""
		}
		if c.faulty(10 * time.Second) {
			began = time.Time{}
		} else if began.IsZero() {
			began = time.Now()
		} else if time.Since(began) > patience {
			c.violate("run", t.id, "run %s has not ended within %v in which nothing was broken; last: %v", run, patience, err)
			return ""
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// examine checks the end of a run and its events.
func (c *client) examine(t *thread, run, status, failure string, seen []event) {
	switch status {
	case "success", "interrupted":
	case "error", "timeout":
		if failure == "" {
			c.violate("run", t.id, "run %s ended with %s and without a cause", run, status)
		}
	default:
		c.violate("run", t.id, "run %s ended with %q", run, status)
	}
	for _, wrong := range []string{ordered(seen), once(seen)} {
		if wrong != "" {
			c.violate("stream", t.id, "run %s: %s", run, wrong)
		}
	}
	if c.random.IntN(2) == 0 {
		return
	}
	for c.faulty(2*time.Second) && c.sleep(200*time.Millisecond) {
		continue // it could not be read
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := c.request(ctx, "GET", "/threads/"+t.id+"/runs/"+run+"/stream", nil, "")
	if err != nil {
		return // something is broken again
	}
	later, whole, err := read(answer.Body, -1)
	_ = answer.Body.Close() // it was read
	if err != nil || !whole || c.faulty(2*time.Second) {
		return
	}
	later, _, unread := numbered(later)
	if unread {
		return
	}
	c.count("stream", "read twice")
	if wrong := equal(seen, later); wrong != "" {
		c.violate("stream", t.id, "run %s: %s", run, wrong)
	}
}

// numbered leaves out what is not an event of the run and has no ID: why it failed, or that its
// events could not be read.
func numbered(all []event) (seen []event, failure string, unread bool) {
	for _, ev := range all {
		if ev.id != "" {
			seen = append(seen, ev)
			continue
		}
		var said struct{ Error, Message string }
		if ev.name == "error" && json.Unmarshal([]byte(ev.data), &said) == nil {
			failure, unread = said.Message, said.Error == "StreamUnreadable"
		}
	}
	return seen, failure, unread
}

// ordered says what is wrong with the order of events: their IDs are numbers with a part
// behind a point.
func ordered(seen []event) string {
	var a, b int
	for i, ev := range seen {
		var x, y int
		_, _ = fmt.Sscanf(ev.id, "%d.%d", &x, &y) // without a point y is 0
		if i > 0 && (x < a || x == a && y <= b) {
			return fmt.Sprintf("event %s comes behind %s", ev.id, seen[i-1].id)
		}
		a, b = x, y
	}
	return ""
}

// once says which update is told twice. The graphs have no loop, so that each node tells
// one in a run, as a run stops once.
func once(seen []event) string {
	told := map[string]event{}
	for _, ev := range seen {
		var update map[string]json.RawMessage
		if ev.name != "updates" || json.Unmarshal([]byte(ev.data), &update) != nil {
			continue
		}
		for node := range update {
			if at, twice := told[node]; twice {
				return fmt.Sprintf("events %s and %s both tell what %s did: %.400s and %.400s", at.id, ev.id, node, at.data, ev.data)
			}
			told[node] = ev
		}
	}
	return ""
}

// equal says where two readings of a stream part.
func equal(seen, later []event) string {
	for i := range max(len(seen), len(later)) {
		switch {
		case i >= len(seen):
			return fmt.Sprintf("event %s %s was not seen by who read along", later[i].id, later[i].name)
		case i >= len(later):
			return fmt.Sprintf("event %s %s is not there for who reads later", seen[i].id, seen[i].name)
		case seen[i] != later[i]:
			return fmt.Sprintf("event %d was %s %s %.120s and later is %s %s %.120s", i+1, seen[i].id, seen[i].name, seen[i].data, later[i].id, later[i].name, later[i].data)
		}
	}
	return ""
}

// uuid is an ID that the seed decides.
func uuid(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}
