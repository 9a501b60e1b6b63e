package page

import (
	"encoding/json"
	"net/http"

	"example.com/assay/graph"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

var threadPage = parsed("thread.tmpl", "value.tmpl")

// A threadView is the page of a thread: its checkpoints, and one of them in full.
type threadView struct {
	ID, Graph string
	Status    statusWord
	Error     string
	Places    []*runs.Snapshot
	Numbers   map[string]int // of runs on the thread, by ID
	Older     string         // link to older places; empty for none
	Newest    string         // link back to the newest ones
	Shown     *runs.Snapshot
	AtEnd     bool // it is the newest
	State     []value
	Asks      []question
	Edit      edit
	Again     again
	Live      []runRow // runs that have not ended
}

// At returns the address of a checkpoint.
func (t threadView) At(checkpoint string) string { return threadPath(t.ID, "at", checkpoint) }

// thread shows a thread's checkpoints, and the state at one of them.
func (v *visit) thread() error {
	return v.showThread(http.StatusOK, v.r.URL.Query().Get("at"), edit{}, again{})
}

// showThread shows a thread at the chosen checkpoint, or the newest, with the failed attempt of a
// form.
func (v *visit) showThread(status int, chosen string, edited edit, asked again) error {
	ctx, id := v.r.Context(), v.r.PathValue("thread")
	t, err := v.Thread(ctx, id)
	if err != nil {
		return err
	}
	out := threadView{ID: id, Graph: t.Graph, Status: threadWords[t.Status], Error: t.Error, AtEnd: chosen == "", Numbers: map[string]int{}}
	before := v.r.URL.Query().Get("before")
	at, g, err := v.State(ctx, id, chosen)
	if err != nil {
		return err
	}
	if at == nil {
		return v.answer(status, threadPage, "Runs", v.threadFrame(t), out)
	}
	all, err := v.Runs(ctx, id)
	if err != nil {
		return err
	}
	for _, r := range all {
		if out.Numbers[r.ID] = r.Number; !r.Status.Ended() {
			out.Live = append(out.Live, v.row(r))
		}
	}
	for p, err := range v.History(ctx, id, &graph.HistoryOptions{Before: before, Limit: perPage + 1}) {
		if err != nil {
			return err
		}
		if len(out.Places) == perPage {
			out.Older = threadPath(id, "before", out.Places[perPage-1].Key.ID)
			break
		}
		out.Places = append(out.Places, p)
	}
	if before != "" {
		out.Newest = threadPath(id, "at", chosen)
	}
	if out.State, err = fields(at.State); err != nil {
		return err
	}
	if out.Asks, err = v.questions(at, id); err != nil {
		return err
	}
	out.Shown, out.Edit, out.Again = at, editOf(g, at, edited), v.againOf(g, asked)
	return v.answer(status, threadPage, "Runs", v.threadFrame(t), out)
}

func (v *visit) threadFrame(t runs.Thread) look.Frame {
	title := "Thread " + t.ID
	if all, err := v.Runs(v.r.Context(), t.ID); err == nil && len(all) > 0 && all[len(all)-1].Asked != "" {
		title = all[len(all)-1].Asked
	}
	return look.Frame{Title: title, Eyebrow: "Thread " + t.ID}
}

// threadPath returns the path of a thread's page, with parameters.
func threadPath(thread string, chosen ...string) string {
	return query(join("threads", thread), chosen...)
}

var threadWords = map[runs.ThreadStatus]statusWord{
	runs.Idle: {"idle", "plain"}, runs.Busy: {"a run goes on", "warn"}, runs.Interrupted: {"waits for a person", "warn"}, runs.Failed: {"its last run failed", "bad"},
}

// sources are the words for what has made a checkpoint.
var sources = map[graph.Source]string{
	graph.SourceInput: "input", graph.SourceLoop: "superstep", graph.SourceUpdate: "edited by hand", graph.SourceFork: "fork",
}

// due describes a task behind a checkpoint.
func due(t graph.TaskState[json.RawMessage]) statusWord {
	switch {
	case len(t.Interrupts) > 0:
		return statusWord{"asks a person", "warn"}
	case t.Failure != "":
		return statusWord{"failed: " + t.Failure, "bad"}
	case t.Done:
		return statusWord{"done", "good"}
	}
	return statusWord{"due", "plain"}
}
