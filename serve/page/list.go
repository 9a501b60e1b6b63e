package page

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

var listPage = parsed("list.tmpl")

// perPage is the number of rows on a page of a list.
const perPage = 50

// A runRow is a run in a list.
type runRow struct {
	ID, Thread, Graph, Asked string
	Status                   statusWord
	Began, Took              string
	Removed                  bool // its thread no longer exists
}

// A listing is the page of runs.
type listing struct {
	Query string
	Total int
	Runs  []runRow
	Pager pager
}

// list shows the tenant's runs, newest first, or those that match a search.
func (v *visit) list() error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	query := strings.TrimSpace(v.r.URL.Query().Get("q"))
	words := strings.Fields(strings.ToLower(query))
	found, err := v.AllRuns(v.r.Context(), func(r *runs.Run) bool { return matches(r, v.titleOf(r.Graph), words) })
	if err != nil {
		return err
	}
	out := listing{Query: query, Total: len(found)}
	if from >= len(found) { // the list has become shorter: its last page
		from = max(0, len(found)-1) / perPage * perPage
	}
	for _, r := range found[from:min(from+perPage, len(found))] {
		out.Runs = append(out.Runs, v.row(r))
	}
	out.Pager = pages("runs", root+"runs", from, perPage, len(found), "q", query)
	return v.show(listPage, "Runs", look.Frame{Title: "Runs"}, out)
}

// matches reports whether a run contains all words, each in its question, graph, graph's title, status,
// thread or ID.
func matches(r *runs.Run, title string, words []string) bool {
	text := strings.ToLower(strings.Join([]string{r.Asked, r.Graph, title, worded(*r).Word, r.Thread, r.ID}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func (v *visit) row(r runs.Run) runRow {
	out := runRow{ID: r.ID, Thread: r.Thread, Graph: v.titleOf(r.Graph), Asked: title(r), Status: worded(r), Began: moment(r.Created), Removed: r.Temporary && r.Status.Ended()}
	if r.Status.Ended() {
		out.Took = look.Duration(float64(took(r)) / float64(time.Millisecond))
	}
	return out
}

// title returns a run's title: its question.
func title(r runs.Run) string {
	if r.Asked == "" {
		return fmt.Sprintf("Run %d of %s", r.Number, r.Graph)
	}
	return r.Asked
}

// A statusWord is a status for people.
type statusWord struct{ Word, Tone string }

var runWords = map[runs.Status]statusWord{
	runs.Pending: {"waits", "plain"}, runs.Running: {"runs", "warn"}, runs.Errored: {"failed", "bad"},
	runs.TimedOut: {"took too long", "bad"}, runs.Cancelled: {"stopped", "warn"},
}

// worded describes a run's status.
func worded(r runs.Run) statusWord {
	switch {
	case r.Status != runs.Success:
		return cmp.Or(runWords[r.Status], statusWord{string(r.Status), "plain"})
	case r.Asks:
		return statusWord{"asked a person", "warn"}
	}
	word, tone := look.Outcome(r.Outcome)
	return statusWord{word, tone}
}

// moment formats a time for pages.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

type pager = look.Pager

// pages returns the pager of a list whose page begins at entry from. Asked are further parameters,
// alternating names and values.
func pages(what, path string, from, per, total int, asked ...string) pager {
	return look.Pages(what, from, per, total, func(from int) string {
		if from == 0 {
			return query(path, asked...)
		}
		return query(path, append(slices.Clip(asked), "from", strconv.Itoa(from))...)
	})
}

// escape escapes a text as a part of a path.
func escape(part string) string {
	switch part {
	case ".", "..":
		return strings.ReplaceAll(part, ".", "%2E")
	}
	return url.PathEscape(part)
}
