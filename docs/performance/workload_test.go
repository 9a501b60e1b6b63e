package performance

import (
	"context"
	"fmt"
	"testing"
)

// job is the state of all graphs: four fields, one of them a list.
type job struct {
	Count int
	Sum   int
	Name  string
	Log   []int
}

// work stands for what a node computes: about 20 ns.
//
//go:noinline
func work(s job) int {
	x := uint64(s.Count) + uint64(s.Sum) + uint64(len(s.Name)) + uint64(len(s.Log)) | 1
	for range 10 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 { // never
		return 0
	}
	return s.Count + 1
}

// A workload is one graph that every engine runs.
type workload struct {
	name  string // as the script in langgraph knows it
	units int    // supersteps, tasks, rounds or runs in one run
}

var workloads = []workload{
	{"work", loopSteps},       // the function alone
	{"loop", loopSteps},       // of two nodes
	{"checkpoint", loopSteps}, // the same, a checkpoint in memory after each superstep
	{"fanout", fanOutWidth},   // into an ordered list
	{"chain", 1},              // of 10 nodes
	{"agent", agentRounds},    // a prebuilt agent with a call in each round
	{"tools", 1},              // a prebuilt agent with 100 calls at once of a tool that waits 10 ms
}

const (
	loopSteps   = 1000
	fanOutWidth = 100
	chainLength = 10
)

// A run executes a graph once and checks the result.
type run func(ctx context.Context) error

// makers compile the graph of each workload that an engine has.
type makers map[string]func() (run, error)

var engines = []struct {
	name   string
	graphs makers
}{{"floor", floor()}, {"assay", assay()}, {"eino", eino()}, {"langgraphgo", langgraphgo()}, {"trpc-agent-go", trpc()}}

// BenchmarkEngines gives nanoseconds per unit of each workload.
func BenchmarkEngines(b *testing.B) {
	javascript := startScript(b)
	for _, w := range workloads {
		for _, e := range engines {
			graph := e.graphs[w.name]
			if graph == nil {
				continue
			}
			b.Run("workload="+w.name+"/engine="+e.name, func(b *testing.B) {
				once, err := graph()
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := once(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				perUnit(b, w)
			})
		}
		b.Run("workload="+w.name+"/engine=LangGraph.js", func(b *testing.B) {
			if javascript == nil {
				b.Skip("LangGraph.js needs node and npm")
			}
			javascript.run(b, w.name, b.N)
			perUnit(b, w)
		})
	}
}

func perUnit(b *testing.B, w workload) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(w.units), "ns/unit")
}

// Every run checks its own result, so that it is enough for none to fail.
func TestEveryGraphGivesTheRightResult(t *testing.T) {
	ran := 0
	for _, e := range engines {
		for name, graph := range e.graphs {
			once, err := graph()
			if err == nil {
				err = once(t.Context())
			}
			if err != nil {
				t.Errorf("%s, %q: %v", e.name, name, err)
			}
			ran++
		}
	}
	if ran != 23 {
		t.Errorf("%d graphs ran", ran)
	}
}

func TestWrongResultsAreErrors(t *testing.T) {
	list := make([]int, fanOutWidth)
	for i := range list {
		list[i] = i + 1
	}
	if err := checkList(list); err != nil {
		t.Error(err)
	}
	if checkList(list[:fanOutWidth-1]) == nil {
		t.Error("a list that is too short passes")
	}
	list[3], list[4] = list[4], list[3]
	if checkList(list) == nil {
		t.Error("a list in the wrong order passes")
	}
	if checkCount(job{Count: 7}, 7) != nil || checkCount(job{Count: 6}, 7) == nil {
		t.Error("counts are not compared")
	}
}

func checkCount(s job, want int) error {
	if s.Count != want {
		return fmt.Errorf("the count is %d, not %d", s.Count, want)
	}
	return nil
}

// checkList wants the results of the tasks in the tasks' order.
func checkList(list []int) error {
	if len(list) != fanOutWidth {
		return fmt.Errorf("the list has %d elements, not %d", len(list), fanOutWidth)
	}
	for i, v := range list {
		if v != i+1 {
			return fmt.Errorf("element %d of the list is %d, not %d: the order is wrong", i, v, i+1)
		}
	}
	return nil
}
