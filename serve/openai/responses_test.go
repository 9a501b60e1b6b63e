package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/react"
	"example.com/assay/serve"
	wire "example.com/assay/serve/openai"
	"example.com/assay/serve/runs"
)

// A clerk is the model of an agent. It calls the tools that a person names, and says what they
// returned. It streams its text word by word.
type clerk struct{}

func (clerk) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	out := llm.Response{Model: "m", Usage: llm.Usage{InputTokens: 3, OutputTokens: 4}}
	switch {
	case last.Role == llm.ToolRole:
		for _, m := range req.Messages {
			for _, r := range m.Results {
				out.Text += r.Text + ". "
			}
		}
	case last.Text == "fail":
		return out, errors.New("it fails")
	default:
		for i, name := range strings.Fields(last.Text) {
			if name == "weather" || name == "mail" {
				out.Calls = append(out.Calls, llm.ToolCall{ID: fmt.Sprint("c", len(req.Messages), i), Name: name, Arguments: json.RawMessage(`{"town":"Oslo"}`)})
			}
		}
		if out.Text = "Let me look."; len(out.Calls) == 0 {
			out.Text = fmt.Sprintf("You said %s after %d messages.", last.Text, len(req.Messages)-1)
		}
	}
	if req.OnText != nil {
		for word := range strings.SplitAfterSeq(out.Text, " ") {
			req.OnText(llm.Chunk{Text: word})
		}
	}
	return out, nil
}

type town struct {
	Town string `json:"town"`
}

// agent is the clerk with a tool that asks a person and one that does not.
func agent(t testing.TB) serve.Graph {
	t.Helper()
	tool := func(name string, ask bool) react.Tool {
		made, err := llm.NewTool(name, "Does "+name+".", func(ctx context.Context, in town) (string, error) {
			graph.EmitToken(ctx, "its own text")
			return name + " of " + in.Town, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		out := react.Tool{Callable: made}
		if ask {
			out.Approve = react.Always
		}
		return out
	}
	g, err := react.New(clerk{}, []react.Tool{tool("weather", false), tool("mail", true)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "clerk"})
	if err != nil {
		t.Fatal(err)
	}
	return serve.Register("clerk", app, nil)
}

// A response is one as the tests read it.
type response struct {
	ID       string
	Object   string
	Status   string
	Model    string
	Output   []item
	Error    *struct{ Code, Message string }
	Metadata map[string]string
	Tools    []any
	Previous string `json:"previous_response_id"`
	Usage    struct {
		Input int `json:"input_tokens"`
		Total int `json:"total_tokens"`
	}
	Assay struct {
		Thread     string `json:"thread_id"`
		Run        string `json:"run_id"`
		Ignored    []string
		Interrupts []any
	}
}

type item struct {
	ID, Type, Status, Role, Name, Arguments, Output string
	Error                                           any
	Server                                          string `json:"server_label"`
	Content                                         []struct {
		Type, Text  string
		Annotations []map[string]any
	}
	Summary []struct{ Text string }
}

// short is a response in a line for each item.
func (r response) short() string {
	var out []string
	for _, i := range r.Output {
		line := i.Type
		switch i.Type {
		case "message":
			line += " " + i.Content[0].Text
		case "reasoning":
			line += " " + i.Summary[0].Text
		case "mcp_call":
			line += fmt.Sprintf(" %s.%s(%s) = %s", i.Server, i.Name, i.Arguments, i.Output)
		default:
			line += fmt.Sprintf(" %s.%s(%s)", i.Server, i.Name, i.Arguments)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// respond makes a request for a response; it has the fields of a JSON object without braces.
func (s *server) respond(fields string, status int) (out response) {
	s.t.Helper()
	got, data, _ := s.call("POST", "/v1/responses", "{"+fields+"}")
	if err := json.Unmarshal([]byte(data), &out); err != nil || got != status {
		s.t.Fatalf("%s: %d %s", fields, got, data)
	}
	return out
}

func (s *server) retrieve(id string) (out response) {
	s.t.Helper()
	status, data, _ := s.call("GET", "/v1/responses/"+id, "")
	if err := json.Unmarshal([]byte(data), &out); err != nil || status != http.StatusOK {
		s.t.Fatalf("%d %s", status, data)
	}
	return out
}

func servedAgent(t testing.TB, change func(*serve.Options)) *server {
	return served(t, func(o *serve.Options) {
		o.Graphs = append(o.Graphs, agent(t))
		if change != nil {
			change(o)
		}
	})
}

const hosted = `"tools":[{"type":"mcp","server_label":"desk","server_url":"https://desk.example","authorization":"secret","headers":{"A":"secret"}}],`

// A response has the text with its citations, and what the request said.
func TestResponse(t *testing.T) {
	s := servedAgent(t, nil)
	got := s.respond(`"model":"parrot","input":"grüß Gott","metadata":{"a":"b"},"temperature":0.5,"instructions":"be brief","zzz":1,"tools":[{"type":"function","name":"f"}],"assay":{"voice":1,"choice":2}`, 200)
	if got.Object != "response" || got.Status != "completed" || got.Model != "parrot" || got.short() != "message “Über” 1: GRÜß GOTT" || got.Metadata["a"] != "b" || len(got.Tools) != 1 {
		t.Errorf("%+v", got)
	}
	text := got.Output[0].Content[0]
	note := text.Annotations[0]
	if cited := string([]rune(text.Text)[int(note["start_index"].(float64)):int(note["end_index"].(float64))]); note["type"] != "url_citation" || note["url"] != "d1" || cited != at(note, "assay", "cited_text") {
		t.Errorf("%v cites %q", note, cited)
	}
	if !slices.Equal(got.Assay.Ignored, []string{"assay.choice", "tools", "zzz"}) {
		t.Errorf("the ignored fields are %q", got.Assay.Ignored)
	}
	run, err := s.runs.Space("ann").Run(t.Context(), got.Assay.Run)
	if err != nil || !strings.Contains(string(run.Metadata), `"zzz":1`) {
		t.Errorf("the run keeps %s, %v", run.Metadata, err)
	}
	if diff := cmp.Diff(got, s.retrieve(got.ID)); diff != "" {
		t.Errorf("- at once, + later:\n%s", diff)
	}
	if spent := s.respond(`"model":"parrot","input":"spend"`, 200); spent.Usage.Input != 6 || spent.Usage.Total != 14 {
		t.Errorf("two calls of a model cost %+v", spent.Usage)
	}
}

// Calls that an agent has made are items, which a client need not make itself.
func TestResponseOfAgent(t *testing.T) {
	s := servedAgent(t, nil)
	got := s.respond(`"model":"clerk","input":"weather weather"`, 200)
	const want = `message Let me look.
mcp_call clerk.weather({"town":"Oslo"}) = weather of Oslo
mcp_call clerk.weather({"town":"Oslo"}) = weather of Oslo
message weather of Oslo. weather of Oslo. `
	if got.short() != want {
		t.Errorf("got\n%s", got.short())
	}
}

// typed reads a stream of typed events: their names, and the data of each.
func typed(t *testing.T, body string) (names []string, data []map[string]any) {
	t.Helper()
	for part := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, line, ok := strings.Cut(part, "\ndata: ")
		if !ok {
			continue // a comment
		}
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		name = strings.TrimPrefix(name, "event: ")
		if one["type"] != name || one["sequence_number"] != float64(len(data)) && len(data) > 0 && data[0]["sequence_number"] == 0.0 {
			t.Errorf("event %d is %s: %s", len(data), name, line)
		}
		names, data = append(names, strings.TrimPrefix(name, "response.")), append(data, one)
	}
	return names, data
}

// A stream has typed events; those of a text come while the model writes it. A later stream has the
// same events, from any on.
func TestResponseStream(t *testing.T) {
	s := servedAgent(t, nil)
	status, body, header := s.call("POST", "/v1/responses", `{"model":"clerk","input":"weather","stream":true}`)
	if status != http.StatusOK || header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %s", status, body)
	}
	names, data := typed(t, body)
	const want = `created in_progress
output_item.added content_part.added output_text.delta output_text.delta output_text.delta output_text.done content_part.done output_item.done
output_item.added output_item.done
output_item.added content_part.added output_text.delta output_text.delta output_text.delta output_text.done content_part.done output_item.done
completed`
	if strings.Join(names, " ") != strings.ReplaceAll(want, "\n", " ") {
		t.Errorf("the events are %s", strings.Join(names, " "))
	}
	whole := data[len(data)-1]["response"]
	var items []any
	for i, one := range data {
		if names[i] == "output_item.done" {
			if one["output_index"] != float64(len(items)) {
				t.Errorf("item %d has index %v", len(items), one["output_index"])
			}
			items = append(items, one["item"])
		}
	}
	if diff := cmp.Diff(at(whole, "output"), any(items)); diff != "" {
		t.Errorf("- at the end, + before:\n%s", diff)
	}
	id := at(whole, "id").(string)
	if _, again, _ := s.call("GET", "/v1/responses/"+id+"?stream=true", ""); again != body {
		t.Errorf("later:\n%s\nat once:\n%s", again, body)
	}
	if _, rest, _ := s.call("GET", "/v1/responses/"+id+"?stream=true&starting_after=3", ""); rest != body[strings.Index(body, "event: response.output_text.delta"):] {
		t.Errorf("after 3:\n%s", rest)
	}
	if status, body, _ := s.call("GET", "/v1/responses/"+id+"?stream=true&starting_after=x", ""); status != 400 {
		t.Errorf("%d %s", status, body)
	}
	_, body, _ = s.call("POST", "/v1/responses", `{"model":"parrot","input":"long","stream":true}`)
	names, data = typed(t, body)
	var text string
	for i, one := range data {
		if names[i] == "output_text.delta" {
			text += one["delta"].(string)
		}
	}
	n := len(names)
	if names[n-5] != "output_text.annotation.added" || at(data[n-5], "annotation", "url") != "d1" || text != at(data[n-4], "text") || len(text) < 16000 {
		t.Errorf("%s with %d bytes", names, len(text))
	}
}

// A response is continued from its end, as often as one likes.
func TestPreviousResponse(t *testing.T) {
	s := servedAgent(t, nil)
	first := s.respond(`"model":"parrot","input":"one"`, 200)
	next := func(previous, text string) response {
		return s.respond(`"model":"parrot","input":"`+text+`","previous_response_id":"`+previous+`"`, 200)
	}
	second := next(first.ID, "two")
	other := next(first.ID, "2")
	third := next(second.ID, "three")
	for got, want := range map[string]string{second.short(): "message “Über” 2: TWO", other.short(): "message “Über” 2: 2", third.short(): "message “Über” 3: THREE"} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if third.Previous != second.ID || third.Assay.Thread != first.Assay.Thread {
		t.Errorf("%+v", third)
	}
	// A client that sends the whole conversation continues it, too, also one that a chat began.
	whole := func(items string) string {
		return s.respond(`"model":"parrot","input":[`+items+`]`, 200).short()
	}
	const begun = `{"role":"user","content":"one"},{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"“Über” 1: ONE","annotations":[]}]},`
	if got := whole(begun + `{"role":"user","content":[{"type":"input_text","text":"ii"}]}`); got != "message “Über” 2: II" {
		t.Error(got)
	}
	if _, text := s.ask(talk{}.user("one").assistant("“Über” 1: ONE").user("deux")); text != "“Über” 2: DEUX" {
		t.Error(text)
	}
	// A request that has a part of its conversation is not taken for a whole one.
	if _, text := s.ask(talk{}.user("two").assistant("“Über” 2: TWO").user("x")); text != "“Über” 1: X" {
		t.Error(text)
	}
	// An agent's answer of several messages is recognised, and its thread has more than the client sends.
	s.respond(`"model":"clerk","input":"weather"`, 200)
	if got := s.respond(`"model":"clerk","input":[{"role":"user","content":"weather"},{"role":"assistant","content":"Let me look."},{"type":"mcp_call","id":"m"},{"role":"assistant","content":"weather of Oslo. "},{"role":"user","content":"thanks"}]`, 200).short(); got != "message You said thanks after 4 messages." {
		t.Error(got)
	}
	// What another model's tools have said stands before the question.
	if got := whole(`{"role":"user","content":"handed over"},{"type":"function_call","call_id":"c","name":"transfer","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"done"}`); got != "message “Über” 1: HANDED OVER" {
		t.Error(got)
	}
	// A conversation is continued at its end.
	for i, want := range []string{"message “Über” 1: A", "message “Über” 2: B"} {
		if got := s.respond(`"model":"parrot","input":"`+string("ab"[i])+`","conversation":{"id":"conv_mine"}`, 200).short(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An agent's question is a text, or a request for approval of a client that knows its server.
func TestApproval(t *testing.T) {
	s := servedAgent(t, nil)
	asked := s.respond(hosted+`"model":"clerk","input":"mail mail"`, 200)
	const question = `message Let me look.
mcp_approval_request desk.mail({"town":"Oslo"})
mcp_approval_request desk.mail({"town":"Oslo"})`
	if asked.short() != question || asked.Status != "completed" || len(asked.Assay.Interrupts) != 1 {
		t.Fatalf("asked\n%s", asked.short())
	}
	run, err := s.runs.Space("ann").Run(t.Context(), asked.Assay.Run)
	if err != nil || strings.Contains(string(run.Kept)+string(run.Metadata), "secret") || !slices.Equal(asked.Assay.Ignored, []string{"tools"}) {
		t.Errorf("it keeps %s %s, %v", run.Kept, run.Metadata, err)
	}
	if own := s.respond(`"tools":[{"type":"mcp","server_label":"clerk"}],"model":"clerk","input":"hi"`, 200); own.Assay.Ignored != nil {
		t.Errorf("%q have no effect", own.Assay.Ignored)
	}
	if diff := cmp.Diff(asked, s.retrieve(asked.ID)); diff != "" {
		t.Errorf("- at once, + later:\n%s", diff)
	}
	answer := func(i int, yes bool) string {
		return fmt.Sprintf(`{"type":"mcp_approval_response","approval_request_id":"%s","approve":%v,"reason":"too late"}`, asked.Output[i].ID, yes)
	}
	for _, bad := range []string{
		answer(1, true), // one is missing
		answer(1, true) + "," + answer(2, false) + `,{"role":"user","content":"and more"}`,
		`{"type":"mcp_approval_response","approval_request_id":"mcpr_x_0","approve":true}`,
		`{"type":"mcp_approval_response","approval_request_id":"x","approve":true}`,
		answer(1, true) + "," + answer(2, true) + `],"previous_response_id":"resp_other","include":[`,
		answer(1, true) + "," + answer(2, true) + `],"conversation":"other","include":[`,
	} {
		s.respond(hosted+`"model":"clerk","input":[`+bad+`]`, 400)
	}
	history := `{"role":"user","content":"mail mail"},` + strings.Join([]string{answer(1, true), answer(2, false)}, ",")
	done := s.respond(hosted+`"model":"clerk","input":[`+history+`]`, 200)
	const want = `mcp_call desk.mail({"town":"Oslo"}) = 
mcp_call desk.mail({"town":"Oslo"}) = mail of Oslo
message mail of Oslo. a person rejected this call: too late. `
	if done.short() != want || done.Output[0].Status != "failed" || done.Assay.Thread != asked.Assay.Thread {
		t.Errorf("done\n%s\n%+v", done.short(), done.Output[0])
	}
	s.respond(hosted+`"model":"clerk","input":[`+answer(1, true)+","+answer(2, true)+`]`, 400) // answered already

	// Without the tool it is a text, as in a chat, and a text answers it.
	asked = s.respond(`"model":"clerk","input":"mail"`, 200)
	if !strings.Contains(asked.short(), "mail {\"town\":\"Oslo\"}") || len(asked.Output) != 2 {
		t.Errorf("asked\n%s", asked.short())
	}
	done = s.respond(`"model":"clerk","input":"Yes!","previous_response_id":"`+asked.ID+`"`, 200)
	if !strings.HasPrefix(done.short(), "mcp_call clerk.mail({\"town\":\"Oslo\"}) = mail of Oslo\n") {
		t.Errorf("done\n%s", done.short())
	}
	s.respond(`"model":"clerk","input":"Yes!","previous_response_id":"`+asked.ID+`"`, 400)
	_, asks, _ := s.call("POST", "/v1/chat/completions", `{"model":"clerk","messages":[{"role":"user","content":"mail"}]}`)
	var chat completion
	if err := json.Unmarshal([]byte(asks), &chat); chat.Choices == nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(chat.Choices[0].Message.Content)
	if err != nil {
		t.Fatal(err)
	}
	_, says, _ := s.call("POST", "/v1/chat/completions", `{"model":"clerk","messages":[{"role":"user","content":"mail"},{"role":"assistant","content":`+string(text)+`},{"role":"user","content":"not today"}]}`)
	if !strings.Contains(says, "a person rejected this call: not today") {
		t.Errorf("%s, then %s", asks, says)
	}
	// Another question is a text for everybody.
	asked = s.respond(hosted+`"model":"parrot","input":"ask"`, 200)
	done = s.respond(hosted+`"model":"parrot","input":"Ada","previous_response_id":"`+asked.ID+`"`, 200)
	if asked.short() != "message Who is it?" || done.short() != "message “Über” 1: it is Ada" {
		t.Errorf("%s, then %s", asked.short(), done.short())
	}
}

// A failure is an error, or the end of a stream. A response can be cancelled and removed.
func TestResponseEnds(t *testing.T) {
	s := servedAgent(t, nil)
	for _, model := range []string{"parrot", "clerk"} {
		if got := s.respond(`"model":"`+model+`","input":"fail"`, 500); got.Error.Code != "run_error" || !strings.Contains(got.Error.Message, "it fails") {
			t.Errorf("%+v", got)
		}
		_, body, _ := s.call("POST", "/v1/responses", `{"model":"`+model+`","input":"fail","stream":true}`)
		names, data := typed(t, body)
		last := data[len(data)-1]
		if !slices.Equal(names, []string{"created", "in_progress", "failed"}) || at(last, "response", "status") != "failed" || at(last, "response", "error", "code") != "run_error" {
			t.Errorf("%s %v", names, last)
		}
		if got := s.retrieve(at(last, "response", "id").(string)); got.Status != "failed" || got.Error.Code != "run_error" {
			t.Errorf("%+v", got)
		}
	}
	under := s.respond(`"model":"parrot","input":"wait","background":true`, 200)
	<-s.begun
	if got := s.retrieve(under.ID); under.Status != "in_progress" || got.Status != "in_progress" {
		t.Errorf("%+v, then %+v", under, got)
	}
	s.respond(`"model":"parrot","input":"more","previous_response_id":"`+under.ID+`"`, 409)
	if status, body, _ := s.call("DELETE", "/v1/responses/"+under.ID, ""); status != 409 {
		t.Errorf("%d %s", status, body)
	}
	// A caller that leaves does not cancel a run in the background.
	ctx, leave := contextOf(t)
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/responses", strings.NewReader(`{"model":"parrot","input":"wait","background":true,"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	<-s.begun
	leave()
	if _, err := io.Copy(io.Discard, answer.Body); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	time.Sleep(20 * time.Millisecond)
	if all, err := s.runs.Space("ann").AllRuns(t.Context(), func(r *runs.Run) bool { return !r.Status.Ended() }); err != nil || len(all) != 2 {
		t.Errorf("%d runs go on, %v", len(all), err)
	}
	status, body, _ := s.call("POST", "/v1/responses/"+under.ID+"/cancel", "")
	if status != 200 || !strings.Contains(body, `"status":"cancelled"`) {
		t.Errorf("%d %s", status, body)
	}
	s.respond(`"model":"parrot","input":"more","previous_response_id":"`+under.ID+`"`, 400)
	if status, body, _ := s.call("DELETE", "/v1/responses/"+under.ID, ""); status != 200 || body != `{"deleted":true,"id":"`+under.ID+`","object":"response"}` {
		t.Errorf("%d %s", status, body)
	}
	chat, _ := s.ask(talk{}.user("hi"))
	stranger := s.respond(`"model":"parrot","input":"hi"`, 200)
	for _, c := range [][]string{{under.ID}, {"resp_" + chat.Assay.Run}, {"nothing"}, {stranger.ID, "Authorization", "Bearer the-token-of-bob"}} {
		for method, path := range map[string]string{"GET": "", "DELETE": "", "POST": "/cancel"} {
			if status, body, _ := s.call(method, "/v1/responses/"+c[0]+path, "", c[1:]...); status != 404 {
				t.Errorf("%s %s%s: %d %s", method, c[0], path, status, body)
			}
		}
	}
	s.respond(`"model":"parrot","input":"more","previous_response_id":"`+under.ID+`"`, 400)
	close(s.open)
	// What may not be stored is not stored.
	gone := s.respond(`"model":"parrot","input":"hi","store":false`, 200)
	for range 100 {
		if status, _, _ = s.call("GET", "/v1/responses/"+gone.ID, ""); status == 404 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := s.runs.Space("ann").Thread(t.Context(), gone.Assay.Thread); status != 404 || !errors.As(err, new(*runs.NotFoundError)) {
		t.Errorf("%d, %v", status, err)
	}
}

// The items of an input are kept.
func TestInputItems(t *testing.T) {
	s := served(t, nil)
	got := s.respond(`"model":"parrot","input":[{"role":"system","content":"s","id":"mine"},{"type":"message","role":"user","content":"hi"}]`, 200)
	for query, want := range map[string]string{"": "in_" + got.Assay.Run + "_1 mine", "?order=asc": "mine in_" + got.Assay.Run + "_1"} {
		status, body, _ := s.call("GET", "/v1/responses/"+got.ID+"/input_items"+query, "")
		var list struct {
			Data  []struct{ ID, Type string }
			First string `json:"first_id"`
			Last  string `json:"last_id"`
		}
		if err := json.Unmarshal([]byte(body), &list); err != nil || status != 200 || len(list.Data) != 2 || list.Data[0].ID+" "+list.Data[1].ID != want || list.First+" "+list.Last != want || list.Data[0].Type != "message" {
			t.Errorf("%s: %d %s, %v", query, status, body, err)
		}
	}
}

// A strict server refuses what has no effect, and does nothing.
func TestStrict(t *testing.T) {
	s := served(t, nil)
	h := wire.Handler(wire.Options{Space: func(*http.Request) *runs.Space { return s.runs.Space("ann") }, Strict: true})
	for fields, param := range map[string]string{`"zzz":1`: "zzz", `"tools":[{"type":"function"}]`: "tools", `"assay":{"choice":1}`: "assay.choice"} {
		for path, asked := range map[string]string{"responses": `"input":"hi"`, "chat/completions": `"messages":[{"role":"user","content":"hi"}]`} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/"+path, strings.NewReader(`{"model":"parrot",`+asked+`,`+fields+`}`)))
			if w.Code != 400 || !strings.Contains(w.Body.String(), `"param":"`+param+`"`) {
				t.Errorf("%s of %s: %d %s", fields, path, w.Code, w.Body)
			}
		}
	}
	if all, err := s.runs.Space("ann").AllRuns(t.Context(), nil); err != nil || len(all) > 0 {
		t.Errorf("%d runs, %v", len(all), err)
	}
}

// What cannot be answered is refused by the name of its field.
func TestBadResponses(t *testing.T) {
	s := served(t, nil)
	for _, c := range []struct{ fields, param, code string }{
		{`"model":"parrot"`, "input", "invalid_type"},
		{`"model":"parrot","input":7`, "input", "invalid_type"},
		{`"model":"parrot","input":[]`, "input", ""},
		{`"model":"parrot","input":" "`, "input", ""},
		{`"model":"parrot","input":["hi"]`, "input[0]", "invalid_type"},
		{`"model":"parrot","input":[{"role":"user","content":[{"type":"input_image","image_url":"x"}]}]`, "input[0].content[0].type", "unsupported_value"},
		{`"model":"parrot","input":[{"role":"ghost","content":"hi"}]`, "input[0].role", "unsupported_value"},
		{`"model":"parrot","input":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]`, "input", ""},
		{`"model":7,"input":"hi"`, "model", "invalid_type"},
		{`"model":"parrot","input":"hi","previous_response_id":"resp_x"`, "previous_response_id", "previous_response_not_found"},
		{`"model":"parrot","input":"hi","previous_response_id":"resp_x","conversation":"c"`, "conversation", ""},
		{`"model":"parrot","input":"hi","conversation":7`, "conversation", "invalid_type"},
		{`"model":"parrot","input":"hi","store":false,"background":true`, "background", "unsupported_value"},
		{`"model":"parrot","input":"hi","assay":7`, "assay", "invalid_type"},
	} {
		status, body, _ := s.call("POST", "/v1/responses", "{"+c.fields+"}")
		var e struct {
			Error struct{ Message, Param, Code string }
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != 400 || e.Error.Param != c.param || e.Error.Code != c.code || e.Error.Message == "" {
			t.Errorf("%s: %d %s, %v; want %s of %s", c.fields, status, body, err, c.code, c.param)
		}
	}
}
