package page

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

// A question is an interrupt of a thread, with the form that answers it: a decision about each call of
// an agent, choices, or a field.
type question struct {
	ID, Node, Problem string
	Payload           []value
	Calls             []call
	Old, All          bool     // the calls are asked about in the older form; all of them may be approved
	Choices           []choice // answers that the payload suggests
	Thread, Ticket    string
	In                string // "ask" for a form in a conversation
}

// A choice is an answer that one click gives.
type choice struct{ Label, Answer string }

func (v *visit) questions(at *runs.Snapshot, thread string) ([]question, error) {
	var out []question
	for _, p := range at.Interrupts {
		q, err := v.question(p, thread)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

// question returns the form for an interrupt, with the failed attempt of the same form.
func (v *visit) question(p graph.PendingInterrupt, thread string) (question, error) {
	if v.tried.ID == p.ID {
		return v.tried, nil
	}
	q := question{ID: p.ID, Node: p.Node, Problem: p.Problem, Choices: choices(p), Thread: thread, Ticket: v.ticket}
	if p.Namespace != "" {
		q.Node = p.Namespace + "/" + q.Node
	}
	if q.Calls, q.Old = callsOf(p.Payload, p.ID); len(q.Calls) > 0 {
		q.All = !slices.ContainsFunc(q.Calls, func(c call) bool { return c.Ways[0].Type != "approve" })
		return q, nil
	}
	var err error
	q.Payload, err = fields(p.Payload)
	return q, err
}

// choices returns the suggested answers of a payload, by its form: a list of options, or a question
// with a question mark, which suggests yes and no.
func choices(p graph.PendingInterrupt) []choice {
	var asks struct {
		Options  []json.RawMessage `json:"options"`
		Choices  []json.RawMessage `json:"choices"`
		Question string            `json:"question"`
		Text     string            `json:"text"`
	}
	text := ""
	if json.Unmarshal(p.Payload, &asks) != nil {
		_ = json.Unmarshal(p.Payload, &text) // otherwise text stays empty
	}
	var out []choice
	for _, o := range append(asks.Options, asks.Choices...) {
		out = append(out, choice{oneLine(look.Readable(o)), string(o)})
	}
	if len(out) > 0 {
		return out
	}
	for _, q := range []string{text, asks.Question, asks.Text} {
		if strings.HasSuffix(strings.TrimSpace(q), "?") {
			return []choice{{"Approve", "true"}, {"Reject", "false"}}
		}
	}
	return nil
}

func oneLine(text string) string { return look.Cut(strings.Join(strings.Fields(text), " "), 80) }

// answer reads the form: the answer, and it in words. With calls that cannot be decided so, both are
// empty, and the question has what was typed, with the faults.
func (q *question) answer(form url.Values) (answer json.RawMessage, words string, err error) {
	if len(q.Calls) == 0 {
		answer = json.RawMessage(cmp.Or(form.Get("choice"), form.Get("answer")))
		if form.Get("as") == "text" || !json.Valid(answer) {
			answer, err = json.Marshal(form.Get("answer"))
		}
		return answer, "", err
	}
	var decisions []any
	var said []string
	faulty := false
	for i := range q.Calls {
		c := &q.Calls[i]
		c.take(form)
		decision, words := c.decided(q.Old)
		decisions, said, faulty = append(decisions, decision), append(said, words), faulty || c.Fault != ""
	}
	switch {
	case faulty:
		return nil, "", nil
	case q.Old:
		answer, err = json.Marshal(decisions)
	default:
		answer, err = json.Marshal(map[string]any{"decisions": decisions})
	}
	return answer, "You " + strings.Join(said, "; "), err
}

// answerQuestion answers a thread's interrupt. The run that asked has ended; another one continues.
func (v *visit) answerQuestion() error {
	thread, id := v.r.PathValue("thread"), v.r.PostFormValue("id")
	at, g, err := v.State(v.r.Context(), thread, "")
	if err != nil {
		return err
	}
	i := -1
	if at != nil {
		i = slices.IndexFunc(at.Interrupts, func(p graph.PendingInterrupt) bool { return p.ID == id })
	}
	if i < 0 {
		return refusal.New(http.StatusConflict, "this question was answered already, or the thread has gone on: load its page again")
	}
	q, err := v.question(at.Interrupts[i], thread)
	if err != nil {
		return err
	}
	inTalk := v.r.PostFormValue("in") == "ask"
	answer, words, err := q.answer(v.r.PostForm)
	if err != nil {
		return err
	}
	if answer == nil {
		v.tried = q
		if !inTalk {
			return v.showThread(http.StatusUnprocessableEntity, "", edit{}, again{})
		}
		a, err := v.asking(url.Values{"thread": {thread}})
		if err != nil {
			return err
		}
		return v.showAsk(http.StatusUnprocessableEntity, a)
	}
	asked, err := v.Run(v.r.Context(), at.Run)
	if err != nil && !errors.As(err, new(*runs.NotFoundError)) { // it may have been removed
		return err
	}
	spec := runs.Spec{Thread: thread, Graph: g.Name, Resume: true, Answers: map[string]json.RawMessage{id: answer}, Asked: words, Settings: asked.Settings}
	if g.Converses() {
		spec.Modes = graph.Tokens
	}
	r, err := v.Begin(v.r.Context(), spec)
	switch {
	case err != nil:
		return err
	case inTalk:
		return v.to(turnPath(r))
	}
	return v.to(join("runs", r.ID))
}
