package pgtest

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Copies starts a copy of this test program for each value of an environment variable, all at the
// same time, and returns the lines that each copy prints. The program's TestMain must look for the
// variable and do the copy's work instead of the tests.
func Copies(t *testing.T, variable string, values ...string) [][]string {
	t.Helper()
	out := make([][]string, len(values))
	var wg sync.WaitGroup
	for i, value := range values {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), variable+"="+value)
		var printed, failed bytes.Buffer
		cmd.Stdout, cmd.Stderr = &printed, &failed
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("copy %d of the program: %v\n%s%s", i, err, printed.Bytes(), failed.Bytes())
			}
			out[i] = strings.Split(strings.TrimSpace(printed.String()), "\n")
		})
	}
	wg.Wait()
	return out
}
