package config

import (
	"bytes"
	"flag"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
)

var update = flag.Bool("update", false, "rewrite the page on the configuration")

// testApp is a program without the machine's streams and variables.
func testApp(t testing.TB) *cli.App {
	t.Helper()
	env := cli.NewEnvironment([]string{cli.EnvHome + "=" + t.TempDir()})
	return &cli.App{
		Env: env, Stdout: cli.NewScreen(new(bytes.Buffer), env), Stderr: cli.NewScreen(new(bytes.Buffer), env),
		Models: map[string]func() llm.Model{offline.Name: func() llm.Model { return offline.New(nil) }},
	}
}
