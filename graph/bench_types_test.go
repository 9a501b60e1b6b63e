package graph_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkStateTypes builds a program with one graph and one with eleven, each
// over its own state, and reports the cost of each further graph: CPU seconds to
// compile and link, and bytes of the program. Run it with
// -benchtime 1x.
func BenchmarkStateTypes(b *testing.B) {
	buildGraphs(b, 1, -1) // compiles the package
	for n := 0; b.Loop(); n++ {
		few, small := buildGraphs(b, 1, n)
		many, large := buildGraphs(b, 11, n)
		b.ReportMetric((many-few).Seconds()/10, "s/type")
		b.ReportMetric(float64(large-small)/10, "B/type")
	}
}

// buildGraphs builds a program with so many graphs that no build has seen.
func buildGraphs(b *testing.B, graphs, n int) (processors time.Duration, bytes int64) {
	var code strings.Builder
	fmt.Fprintf(&code, "// %s %d %d\npackage main\n\nimport (\n\t\"context\"\n\n\t\"example.com/assay/graph\"\n)\n\nfunc main() {\n", time.Now(), graphs, n)
	for i := range graphs {
		fmt.Fprintf(&code, "\trun%d()\n", i)
	}
	code.WriteString("}\n")
	for i := range graphs {
		fmt.Fprintf(&code, `
type state%[1]d struct{ N, M%[1]d int }

func run%[1]d() {
	n := graph.LastValue("n", func(s *state%[1]d) *int { return &s.N })
	g := graph.NewStateGraph[state%[1]d](n)
	g.AddNode("inc", func(_ context.Context, s state%[1]d) (graph.Update[state%[1]d], error) {
		return graph.Update[state%[1]d]{n.Set(s.N + 1)}, nil
	})
	g.AddEdge(graph.Start, "inc")
	app, err := g.Compile(nil)
	if err == nil {
		_, err = app.Invoke(context.Background(), graph.Update[state%[1]d]{n.Set(1)}, nil)
	}
	if err != nil {
		panic(err)
	}
}
`, i)
	}
	dir := b.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(code.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(here, "internal", "manygraphs", "main.go"): source}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./internal/manygraphs")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(program)
	if err != nil {
		b.Fatal(err)
	}
	return build.ProcessState.UserTime() + build.ProcessState.SystemTime(), info.Size()
}
