//go:build unix

package performance

import (
	"math"
	"syscall"
	"testing"
	"time"
)

// processor is the processor time of this process so far. A busy machine disturbs it less than time.
func processor(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestAgentTime prints the processor time of a round of the prebuilt agents, the least of 60 parts
// in turn.
func TestAgentTime(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("it measures: run it with -v")
	}
	least := map[string]float64{}
	agents := map[string]run{}
	for name, graph := range map[string]func() (run, error){"assay": assay()["agent"], "eino": eino()["agent"]} {
		once, err := graph()
		if err != nil {
			t.Fatal(err)
		}
		agents[name], least[name] = once, math.Inf(1)
	}
	const turns = 200
	for range 60 {
		for name, once := range agents {
			began := processor(t)
			for range turns {
				if err := once(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			least[name] = min(least[name], float64(processor(t)-began)/turns/agentRounds)
		}
	}
	t.Logf("per round: assay %.0f ns, eino %.0f ns, ratio %.2f", least["assay"], least["eino"], least["assay"]/least["eino"])
}
