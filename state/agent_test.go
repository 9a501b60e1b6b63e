package state_test

import (
	"testing"

	"example.com/assay/state"

	"github.com/google/go-cmp/cmp"
)

func TestAgentCounts(t *testing.T) {
	s := state.Agent{Plan: []state.Step{
		{ID: 1, Status: state.StepCompleted, Confidence: .8, Hits: []state.Hit{{Passage: state.Passage{ID: "a"}}, {Passage: state.Passage{ID: "b"}}}},
		{ID: 2, Status: state.StepFailed, Confidence: .1, Hits: []state.Hit{{Passage: state.Passage{ID: "c"}}}},
		{ID: 3, Status: state.StepCompleted, Confidence: .9},
		{ID: 4, Status: state.StepPending},
	}}
	if got := s.Count(state.StepCompleted); got != 2 {
		t.Errorf("%d completed", got)
	}
	if got := s.MeanConfidence(); got < .85-1e-9 || got > .85+1e-9 {
		t.Errorf("mean confidence %v", got)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, s.Read()); diff != "" {
		t.Errorf("read: %s", diff)
	}
	if step, ok := s.Pending(); !ok || step.ID != 4 {
		t.Errorf("pending: %+v, %v", step, ok)
	}
	if _, ok := s.Executed(); ok {
		t.Error("a step waits for evaluation")
	}
	if (state.Agent{}).MeanConfidence() != 0 {
		t.Error("mean of nothing")
	}
}
