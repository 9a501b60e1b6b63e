package performance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"example.com/assay/internal/npmtest"
)

// script runs graphs inside one Node.js process that lives as long as the benchmarks, so that its
// compiled code stays warm.
type script struct {
	requests io.WriteCloser
	answers  *json.Decoder
}

// startScript starts LangGraph.js; nil where there is no node or npm. Its packages are installed
// once.
func startScript(t testing.TB) *script {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil
		}
	}
	// At each fan-out the library warns of the listeners that it adds itself.
	cmd := exec.Command("node", "--no-warnings", "measure.mjs")
	cmd.Dir, cmd.Stderr = npmtest.Clients(t, "langgraph"), os.Stderr
	// Tracing sends each run to a server if the caller's environment asks for it.
	cmd.Env = append(os.Environ(), "LANGSMITH_TRACING=false", "LANGCHAIN_TRACING_V2=false", "NODE_ENV=production")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // which ends the process
		if err := cmd.Wait(); err != nil {
			t.Errorf("ending node: %v", err)
		}
	})
	return &script{in, json.NewDecoder(bufio.NewReader(out))}
}

// run runs a workload some times.
func (s *script) run(t testing.TB, workload string, runs int) {
	t.Helper()
	if _, err := fmt.Fprintf(s.requests, "{\"workload\":%q,\"runs\":%d}\n", workload, runs); err != nil {
		t.Fatal(err)
	}
	var fault string
	if err := s.answers.Decode(&fault); err != nil || fault != "" {
		t.Fatalf("%s: %s %v", workload, fault, err)
	}
}

func TestLangGraphGivesTheRightResult(t *testing.T) {
	if os.Getenv("ASSAY_TEST_ORACLE") == "" {
		t.Skip("ASSAY_TEST_ORACLE is not set: it makes this test install LangGraph.js by npm")
	}
	s := startScript(t)
	for _, w := range workloads {
		s.run(t, w.name, 1)
	}
}
