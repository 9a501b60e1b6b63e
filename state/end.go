package state

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Status is the outcome of a run. All pipelines share these words: they are in `--json`, in the
// trace, in the exit code and in texts for people.
type Status string

const (
	StatusAnswered    Status = "answered"    // all of it is supported, and no part failed
	StatusUngrounded  Status = "ungrounded"  // there is an answer, but parts are unsupported or missing
	StatusNoEvidence  Status = "no_evidence" // looked, and it is not there
	StatusUnavailable Status = "unavailable" // could not look; the cause says why
	StatusRejected    Status = "rejected"    // the input was refused
	StatusInterrupted Status = "interrupted" // stopped for a person
	StatusCancelled   Status = "cancelled"
	StatusFailed      Status = "failed" // a fault of ours
)

// Statuses lists every status.
var Statuses = []Status{
	StatusAnswered, StatusUngrounded, StatusNoEvidence, StatusUnavailable, StatusRejected, StatusInterrupted, StatusCancelled, StatusFailed,
}

// ExitCode is the exit code for the outcome. A command that SIGTERM cancelled exits with 143
// instead of 130.
func (s Status) ExitCode() int {
	switch s {
	case StatusAnswered:
		return 0
	case StatusUngrounded, StatusNoEvidence:
		return 3
	case StatusInterrupted:
		return 4
	case StatusCancelled:
		return 130
	}
	return 1
}

// Cause is the reason why a run could not search.
type Cause string

const (
	CauseModel   Cause = "model"   // it gave no usable answer
	CauseKey     Cause = "key"     // it was refused
	CauseNetwork Cause = "network" // the server was not reached
	CauseBudget  Cause = "budget"  // of calls, tokens or money
	CauseTime    Cause = "time"    // the run's time was up
	CauseIndex   Cause = "index"   // the corpus could not be read
)

var causeWords = map[Cause]string{
	CauseModel: "the model gave no usable answer", CauseKey: "the key was refused", CauseNetwork: "the server was not reached",
	CauseBudget: "the budget is spent", CauseTime: "the time is up", CauseIndex: "the corpus could not be read",
}

// A Caused error has the reason why a run could not search.
type Caused interface {
	error
	Cause() Cause
}

// CauseOf returns the cause of an error, empty for an internal error.
func CauseOf(err error) Cause {
	if c, ok := errors.AsType[Caused](err); ok {
		return c.Cause()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return CauseTime
	}
	return ""
}

// A Loss is a call that failed while the run continued, with the part that is missing because of
// it.
type Loss struct {
	Missing string `json:"missing"` // in words: "the answer to step 2"
	Cause   Cause  `json:"cause,omitempty"`
	Error   string `json:"error"`
}

// LossOf is the loss that an error means.
func LossOf(missing string, err error) Loss {
	return Loss{Missing: missing, Cause: CauseOf(err), Error: err.Error()}
}

// Searched is where a run searched.
type Searched struct {
	Corpus  string   `json:"corpus,omitempty"`
	Queries []string `json:"queries"` // each once, in order
}

// An End is the outcome of a run with its reason, as in an Answer.
type End struct {
	Status   Status    `json:"status"`
	Cause    Cause     `json:"cause,omitempty"`    // of unavailable
	Losses   []Loss    `json:"losses,omitempty"`   // calls that failed while the run went on
	Missing  []string  `json:"missing,omitempty"`  // parts of the question that the evidence does not answer
	Searched *Searched `json:"searched,omitempty"` // of no_evidence
	Why      string    `json:"why,omitempty"`      // for ungrounded: the unsupported parts, in a sentence
	Error    string    `json:"error,omitempty"`
}

// An Outcome is a pipeline's knowledge at the end of its run.
type Outcome struct {
	Err      error    // of the run
	Rejected bool     // the input was refused
	Asks     bool     // the run waits for a person
	Answered bool     // there is an answer
	Grounded bool     // every checked part of the answer is supported
	Losses   []Loss   // calls that failed while the run went on
	Missing  []string // parts of the question that the evidence does not answer; an answer with some is incomplete
	Searched Searched
	Why      string // see End
}

// End decides how a run ended. A run that lost a call never ends as answered or
// no_evidence, since the lost call might have changed that.
func (o Outcome) End() End {
	e := End{Losses: o.Losses, Missing: o.Missing}
	switch {
	case o.Err != nil:
		e.Error = o.Err.Error()
		switch cause := CauseOf(o.Err); {
		case cause != "":
			e.Status, e.Cause = StatusUnavailable, cause
		case errors.Is(o.Err, context.Canceled):
			e.Status = StatusCancelled
		default:
			e.Status = StatusFailed
		}
	case o.Asks:
		e.Status = StatusInterrupted
	case o.Rejected:
		e.Status = StatusRejected
	case o.Answered && o.Grounded && len(o.Losses) == 0 && len(o.Missing) == 0:
		e.Status = StatusAnswered
	case o.Answered:
		e.Status, e.Why = StatusUngrounded, o.Why
	case len(o.Losses) > 0:
		e.Status, e.Cause, e.Error = StatusUnavailable, o.Losses[0].Cause, o.Losses[0].Error
	default:
		e.Status, e.Searched = StatusNoEvidence, &o.Searched
	}
	return e
}

// In names the corpus that was searched.
func (e *End) In(corpus string) {
	if e.Searched != nil {
		e.Searched.Corpus = corpus
	}
}

// Words says how a run ended in one line for a person. It is empty for answered.
func (e End) Words() string {
	switch e.Status {
	case StatusAnswered:
		return ""
	case StatusUngrounded:
		if lost := strings.TrimSpace(e.lost() + " " + e.missing()); lost != "" {
			return strings.TrimSpace(e.Why + " Answered, but not whole: " + lost)
		}
		if e.Why != "" {
			return e.Why
		}
		return "Answered, but not grounded: not every statement is supported by the evidence."
	case StatusNoEvidence:
		return strings.TrimSpace("No evidence: " + e.Searched.words() + " " + e.missing())
	case StatusUnavailable:
		why := causeWords[e.Cause]
		if why == "" {
			why = "something failed"
		}
		text := fmt.Sprintf("Could not look: %s: %s.", why, strings.TrimSuffix(e.Error, "."))
		if len(e.Losses) > 0 {
			text += " " + e.lost()
		}
		return text
	case StatusRejected:
		return "Rejected: the input was refused."
	case StatusInterrupted:
		return "Stopped for a person."
	case StatusCancelled:
		return "Cancelled before the end."
	}
	return "Failed: " + e.Error
}

// missing names the parts that the evidence does not have; empty without any.
func (e End) missing() string {
	if len(e.Missing) == 0 {
		return ""
	}
	return "The passages do not have: " + strings.Join(e.Missing, "; ") + "."
}

// lost describes the parts missing because of failed calls; empty without any.
func (e End) lost() string {
	if len(e.Losses) == 0 {
		return ""
	}
	var parts []string
	for _, l := range e.Losses {
		parts = append(parts, fmt.Sprintf("%s is missing (%s)", l.Missing, strings.TrimSuffix(l.Error, ".")))
	}
	return strings.Join(parts, "; ") + "."
}

// mostQueriesShown bounds the queries in a line.
const mostQueriesShown = 5

func (s *Searched) words() string {
	where := "the evidence"
	if s != nil && s.Corpus != "" {
		where = fmt.Sprintf("corpus %q", s.Corpus)
	}
	if s == nil || len(s.Queries) == 0 {
		return where + " holds nothing on this."
	}
	shown := make([]string, 0, mostQueriesShown)
	for _, q := range s.Queries[:min(len(s.Queries), mostQueriesShown)] {
		shown = append(shown, "“"+q+"”")
	}
	more := ""
	if n := len(s.Queries) - len(shown); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s was searched for %s%s, and holds nothing that answers.", where, strings.Join(shown, ", "), more)
}
