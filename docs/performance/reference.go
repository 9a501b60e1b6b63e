package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Files of the graph for LangGraph's own development server.
const (
	referenceGraph = `import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
const State = Annotation.Root({ n: Annotation({ reducer: (_, b) => b, default: () => 0 }), upto: Annotation() });
export const count = new StateGraph(State)
  .addNode("count", async (s) => ({ n: s.n + 1 }))
  .addEdge(START, "count")
  .addConditionalEdges("count", (s) => (s.n >= s.upto ? END : "count"), ["count", END])
  .compile();
`
	referenceConfig = `{"node_version":"20","dependencies":["."],"graphs":{"count":"./graphs.mjs:count"},"env":{}}`
)

// referenceServer starts LangGraph's development server, with the packages of
// serve/langgraph/oracle, which are installed once. When that cannot be done it says why.
func referenceServer(ctx context.Context, folder string, log io.Writer) (s side, stop func(), reason string) {
	stop = func() {}
	if _, err := exec.LookPath("npm"); err != nil {
		return s, stop, "no npm on this machine"
	}
	url, stop, err := startReference(ctx, folder, log)
	if err != nil {
		fmt.Fprintln(log, "starting LangGraph's server:", err)
		return s, stop, "it did not start"
	}
	return side{"LangGraph.js's development server, memory", over(url)}, stop, ""
}

func startReference(ctx context.Context, folder string, log io.Writer) (url string, stop func(), err error) {
	stop = func() {}
	const packages = "../../serve/langgraph/oracle/package.json"
	data, err := os.ReadFile(packages)
	if err != nil {
		return "", stop, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", stop, err
	}
	sum := sha256.Sum256(data)
	installed := filepath.Join(cache, "assay-ci", "clients-"+hex.EncodeToString(sum[:6])) // as TestOracle does
	if _, err := os.Stat(filepath.Join(installed, "complete")); err != nil {
		if err := os.MkdirAll(installed, 0o755); err != nil {
			return "", stop, err
		}
		if err := os.WriteFile(filepath.Join(installed, "package.json"), data, 0o600); err != nil {
			return "", stop, err
		}
		cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
		cmd.Dir, cmd.Stdout, cmd.Stderr = installed, log, log
		if err := cmd.Run(); err != nil {
			return "", stop, err
		}
		if err := os.WriteFile(filepath.Join(installed, "complete"), nil, 0o600); err != nil {
			return "", stop, err
		}
	}
	dir := filepath.Join(folder, "reference")
	err = errors.Join(os.Mkdir(dir, 0o700), os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")))
	for name, text := range map[string]string{"package.json": string(data), "graphs.mjs": referenceGraph, "langgraph.json": referenceConfig} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		return "", stop, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", stop, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err = errors.Join(err, l.Close()); err != nil {
		return "", stop, err
	}
	cmd := exec.Command("npx", "langgraphjs", "dev", "--no-browser", "--port", port)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LANGSMITH_TRACING=false", "LANGGRAPH_CLI_NO_ANALYTICS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts processes of its own
	if err := cmd.Start(); err != nil {
		return "", stop, err
	}
	stop = func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // it was killed
	}
	url = "http://127.0.0.1:" + port
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		if answer, err := http.Get(url + "/ok"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return url, stop, nil
			}
		}
	}
	return "", stop, errors.New("it does not answer")
}
