package state_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/state"
)

// refused is an error that knows its cause.
type refused struct{}

func (refused) Error() string      { return "openai answered 401" }
func (refused) Cause() state.Cause { return state.CauseKey }

func TestEnd(t *testing.T) {
	key := fmt.Errorf("planning: %w", refused{})
	lost := []state.Loss{state.LossOf("the answer to step 2", key)}
	for _, tc := range []struct {
		name  string
		o     state.Outcome
		want  state.Status
		cause state.Cause
		code  int
		words string
	}{
		{"answered", state.Outcome{Answered: true, Grounded: true}, state.StatusAnswered, "", 0, ""},
		{"a claim does not hold", state.Outcome{Answered: true}, state.StatusUngrounded, "", 3, "not grounded"},
		{"a call was lost", state.Outcome{Answered: true, Grounded: true, Losses: lost}, state.StatusUngrounded, "", 3, "the answer to step 2 is missing (planning: openai answered 401)"},
		{"nothing there", state.Outcome{Searched: state.Searched{Corpus: "handbook", Queries: []string{"badge"}}}, state.StatusNoEvidence, "", 3, `corpus "handbook" was searched for “badge”`},
		{"nothing there, but a call was lost", state.Outcome{Losses: lost}, state.StatusUnavailable, state.CauseKey, 1, "the key was refused"},
		{"a part is missing", state.Outcome{Answered: true, Grounded: true, Missing: []string{"a date"}}, state.StatusUngrounded, "", 3, "The passages do not have: a date."},
		{"all that was asked is missing", state.Outcome{Grounded: true, Missing: []string{"a date"}}, state.StatusNoEvidence, "", 3, "The passages do not have: a date."},
		{"the key", state.Outcome{Err: key}, state.StatusUnavailable, state.CauseKey, 1, "the key was refused"},
		{"the time", state.Outcome{Err: context.DeadlineExceeded}, state.StatusUnavailable, state.CauseTime, 1, "the time is up"},
		{"cancelled", state.Outcome{Err: context.Canceled, Answered: true, Grounded: true}, state.StatusCancelled, "", 130, "Cancelled"},
		{"rejected", state.Outcome{Rejected: true, Answered: true}, state.StatusRejected, "", 1, "refused"},
		{"asks", state.Outcome{Asks: true}, state.StatusInterrupted, "", 4, "person"},
		{"a fault", state.Outcome{Err: errors.New("index out of range")}, state.StatusFailed, "", 1, "index out of range"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.o.End()
			if got.Status != tc.want || got.Cause != tc.cause || got.Status.ExitCode() != tc.code || !strings.Contains(got.Words(), tc.words) {
				t.Errorf("End() = %+v, exit %d, %q; want %s, %q, %d, %q", got, got.Status.ExitCode(), got.Words(), tc.want, tc.cause, tc.code, tc.words)
			}
		})
	}
}
