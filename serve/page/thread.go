package page

import (
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
	Places    []place
	Older     string // link to older places; empty for none
	Newest    string // link back to the newest ones
	Shown     *shownPlace
	Edit      edit
	Again     again
	Live      []runRow // runs that have not ended
}

// A place is a checkpoint in the list of a thread.
type place struct {
	ID, Href, When, Why, Run string
	Number                   int // number of the run on its thread; 0 if the run was removed
	Step                     int
	Next                     []string
	Here, Asks               bool
}

// A shownPlace is the checkpoint shown in full.
type shownPlace struct {
	place
	Parent string // link to the previous checkpoint
	State  []value
	Asks   []question
	Tasks  []placeTask
	Newest bool
}

// A placeTask is a task after a checkpoint.
type placeTask struct{ Node, Status, Tone string }

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
	out := threadView{ID: id, Graph: t.Graph, Status: threadWord(t.Status), Error: t.Error}
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
	numbers := map[string]int{}
	for _, r := range all {
		if numbers[r.ID] = r.Number; !r.Status.Ended() {
			out.Live = append(out.Live, v.row(r))
		}
	}
	for p, err := range v.History(ctx, id, &graph.HistoryOptions{Before: before, Limit: perPage + 1}) {
		if err != nil {
			return err
		}
		if len(out.Places) == perPage {
			out.Older = threadPath(id, "before", out.Places[perPage-1].ID)
			break
		}
		one := placeOf(p, id, at.Key.ID)
		one.Number = numbers[p.Run]
		out.Places = append(out.Places, one)
	}
	if before != "" {
		out.Newest = threadPath(id, "at", chosen)
	}
	if out.Shown, err = v.shownPlace(at, id, chosen == ""); err != nil {
		return err
	}
	out.Edit, out.Again = editOf(g, at, edited), v.againOf(g, asked)
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

func threadWord(s runs.ThreadStatus) statusWord {
	switch s {
	case runs.Busy:
		return statusWord{"a run goes on", "warn"}
	case runs.Interrupted:
		return statusWord{"waits for a person", "warn"}
	case runs.Failed:
		return statusWord{"its last run failed", "bad"}
	}
	return statusWord{"idle", "plain"}
}

var sources = map[graph.Source]string{
	graph.SourceInput: "input", graph.SourceLoop: "superstep", graph.SourceUpdate: "edited by hand", graph.SourceFork: "fork",
}

func placeOf(at *runs.Snapshot, thread, here string) place {
	return place{
		ID: at.Key.ID, Href: threadPath(thread, "at", at.Key.ID), When: moment(at.Time), Why: sources[at.Source], Run: at.Run,
		Step: at.Step, Next: at.Next, Here: at.Key.ID == here, Asks: len(at.Interrupts) > 0,
	}
}

func (v *visit) shownPlace(at *runs.Snapshot, thread string, newest bool) (*shownPlace, error) {
	out := &shownPlace{place: placeOf(at, thread, at.Key.ID), Newest: newest}
	if at.Parent != "" {
		out.Parent = threadPath(thread, "at", at.Parent)
	}
	var err error
	if out.State, err = fields(at.State); err != nil {
		return nil, err
	}
	if out.Asks, err = v.questions(at, thread); err != nil {
		return nil, err
	}
	for _, t := range at.Tasks {
		one := placeTask{t.Node, "due", "plain"}
		switch {
		case len(t.Interrupts) > 0:
			one.Status, one.Tone = "asks a person", "warn"
		case t.Failure != "":
			one.Status, one.Tone = "failed: "+t.Failure, "bad"
		case t.Done:
			one.Status, one.Tone = "done", "good"
		}
		out.Tasks = append(out.Tasks, one)
	}
	return out, nil
}
