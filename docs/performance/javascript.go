package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// script measures inside one Node.js process that lives as long as the
// comparison, so that its compiled code stays warm. It reads a request a line
// and writes an answer a line.
type script struct {
	requests io.WriteCloser
	answers  *bufio.Reader
	wait     func() error
}

// A request asks for one measurement.
type request struct {
	Workload string  `json:"workload"`
	Units    int     `json:"units"`
	Batch    int     `json:"batch"`
	AtLeast  float64 `json:"atLeast"` // milliseconds
}

// An answer has a figure, a reason why there is none, or an error.
type answer struct {
	Nanoseconds float64 `json:"nanoseconds"` // per unit
	Absent      string  `json:"absent"`
	Error       string  `json:"error"`
	Version     string  `json:"version"` // only in the first answer, which nothing asked for
}

// langGraph starts LangGraph.js from the folder dir, and installs its packages
// first if they are missing or older than the lock file. When that cannot be
// done the engine is absent everywhere; the reason is short enough for a table,
// and what npm said goes to log. The caller calls stop.
func langGraph(ctx context.Context, dir string, log io.Writer) (e engine, stop func() error) {
	const name = "LangGraph.js"
	none := func(reason string) (engine, func() error) {
		return engine{name, "", func(context.Context, workload, time.Duration) (float64, error) {
			return 0, absent{reason}
		}}, func() error { return nil }
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return none("no node on this machine")
	}
	if !installed(dir) {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return none("no npm on this machine")
		}
		fmt.Fprintln(log, "installing the packages of", dir)
		cmd := exec.CommandContext(ctx, npm, "ci", "--no-audit", "--no-fund")
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
		if err := cmd.Run(); err != nil {
			fmt.Fprintln(log, "npm ci:", err)
			return none("npm ci failed")
		}
	}
	s, version, err := startScript(ctx, node, dir, log)
	if err != nil {
		fmt.Fprintln(log, "starting node:", err)
		return none("node did not start")
	}
	return engine{name, version, s.measure}, s.stop
}

// installed reports whether npm has put in place what the lock file names.
func installed(dir string) bool {
	done, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil {
		return false
	}
	lock, err := os.Stat(filepath.Join(dir, "package-lock.json"))
	return err == nil && !lock.ModTime().After(done.ModTime())
}

func startScript(ctx context.Context, node, dir string, log io.Writer) (*script, string, error) {
	// At each fan-out the library warns of the listeners that it adds itself.
	cmd := exec.CommandContext(ctx, node, "--no-warnings", "measure.mjs")
	cmd.Dir, cmd.Stderr = dir, log
	// Tracing sends each run to a server if the caller's environment asks for it.
	cmd.Env = append(os.Environ(), "LANGSMITH_TRACING=false", "LANGCHAIN_TRACING_V2=false", "NODE_ENV=production")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	s := &script{in, bufio.NewReader(out), cmd.Wait}
	first, err := s.read()
	if err != nil {
		return nil, "", errors.Join(err, s.stop())
	}
	return s, first.Version, nil
}

// measure is an engine's. It does not watch the context: when that ends, the
// process does, and the answer with it.
func (s *script) measure(_ context.Context, w workload, atLeast time.Duration) (float64, error) {
	line, err := json.Marshal(request{w.name, w.units, w.batch, atLeast.Seconds() * 1000})
	if err != nil {
		return 0, err
	}
	if _, err := s.requests.Write(append(line, '\n')); err != nil {
		return 0, fmt.Errorf("asking node: %w", err)
	}
	got, err := s.read()
	switch {
	case err != nil:
		return 0, err
	case got.Error != "":
		return 0, errors.New(got.Error)
	case got.Absent != "":
		return 0, absent{got.Absent}
	}
	return got.Nanoseconds, nil
}

func (s *script) read() (answer, error) {
	line, err := s.answers.ReadBytes('\n')
	if err != nil {
		return answer{}, fmt.Errorf("reading node's answer: %w", err)
	}
	var got answer
	if err := json.Unmarshal(line, &got); err != nil {
		return answer{}, fmt.Errorf("parsing node's answer: %w", err)
	}
	return got, nil
}

// stop ends the process by closing its input, and waits for it.
func (s *script) stop() error {
	return errors.Join(s.requests.Close(), s.wait())
}
