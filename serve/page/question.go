package page

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

// A question is an interrupt of a thread, with the form that answers it.
type question struct {
	ID, Node, Problem string
	Payload           []value
	Choices           []choice // answers that the payload suggests
	Thread, Ticket    string
}

// A choice is an answer that one click gives.
type choice struct{ Label, Answer string }

func (v *visit) questions(at *runs.Snapshot, thread string) ([]question, error) {
	var out []question
	for _, p := range at.Interrupts {
		node := p.Node
		if p.Namespace != "" {
			node = p.Namespace + "/" + node
		}
		q := question{ID: p.ID, Node: node, Problem: p.Problem, Choices: choices(p), Thread: thread, Ticket: v.ticket}
		var err error
		if q.Payload, err = fields(p.Payload); err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

// choices returns the suggested answers of a payload, by its form: a list of options, an agent's
// request to approve a tool call, or a question with a question mark, which suggests yes and no.
func choices(p graph.PendingInterrupt) []choice {
	var asks struct {
		Options  []json.RawMessage `json:"options"`
		Choices  []json.RawMessage `json:"choices"`
		Action   json.RawMessage   `json:"action_request"`
		Actions  []json.RawMessage `json:"action_requests"`
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
	switch {
	case len(out) > 0:
		return out
	case asks.Action != nil:
		return []choice{{"Approve", `[{"type":"accept"}]`}, {"Reject", `[{"type":"ignore"}]`}}
	case len(asks.Actions) > 0:
		each := func(kind string) string {
			one := `{"type":"` + kind + `"}`
			return `{"decisions":[` + one + strings.Repeat(","+one, len(asks.Actions)-1) + `]}`
		}
		return []choice{{"Approve", each("approve")}, {"Reject", each("reject")}}
	}
	for _, q := range []string{text, asks.Question, asks.Text} {
		if strings.HasSuffix(strings.TrimSpace(q), "?") {
			return []choice{{"Approve", "true"}, {"Reject", "false"}}
		}
	}
	return nil
}

func oneLine(text string) string { return look.Cut(strings.Join(strings.Fields(text), " "), 80) }

// answerQuestion answers a thread's interrupt. The run that asked has ended; another one continues.
func (v *visit) answerQuestion() error {
	thread, id := v.r.PathValue("thread"), v.r.PostFormValue("id")
	at, g, err := v.State(v.r.Context(), thread, "")
	if err != nil {
		return err
	}
	if at == nil || !asks(at, id) {
		return refusal.New(http.StatusConflict, "this question was answered already, or the thread has gone on: load its page again")
	}
	answer := json.RawMessage(v.r.PostFormValue("choice"))
	if len(answer) == 0 {
		answer = json.RawMessage(v.r.PostFormValue("answer"))
		if v.r.PostFormValue("as") == "text" || !json.Valid(answer) {
			if answer, err = json.Marshal(v.r.PostFormValue("answer")); err != nil {
				return err
			}
		}
	}
	asked, err := v.Run(v.r.Context(), at.Run)
	if err != nil && !errors.As(err, new(*runs.NotFoundError)) { // it may have been removed
		return err
	}
	r, err := v.Begin(v.r.Context(), runs.Spec{
		Thread: thread, Graph: g.Name, Resume: true, Answers: map[string]json.RawMessage{id: answer}, Settings: asked.Settings,
	})
	if err != nil {
		return err
	}
	return v.to(join("runs", r.ID))
}

func asks(at *runs.Snapshot, id string) bool {
	for _, p := range at.Interrupts {
		if p.ID == id {
			return true
		}
	}
	return false
}
