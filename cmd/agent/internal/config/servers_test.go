package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestServersAreRead(t *testing.T) {
	s := configured(t, `mcp:
  files:
    command: ./bin/server
    args: [--root, "/data dir"]
    env: [PATH, HOME]
    tools: [read]
    ask: [write]
    timeout: 5s
    max_output: 1000
  web: {url: "https://tools.example.com/mcp", header_file: web.header, tools: []}
`)
	want := map[string]*Server{
		"files": {Name: "files", Command: "bin/server", Args: []string{"--root", "/data dir"}, Env: []string{"PATH", "HOME"}, Tools: []string{"read"}, Ask: []string{"write"}, Timeout: 5 * time.Second, MaxOutput: 1000},
		"web":   {Name: "web", URL: "https://tools.example.com/mcp", HeaderFile: "web.header", Tools: []string{}},
	}
	if diff := cmp.Diff(want, s.Servers); diff != "" {
		t.Error(diff)
	}
	table, err := Table(testApp(t))
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, line := range Lines(s, table) {
		if strings.HasPrefix(line.Key, "mcp.") {
			shown = append(shown, line.Key+"="+line.Value+" "+line.Where)
		}
	}
	if diff := cmp.Diff([]string{
		"mcp.files.command=bin/server c.yaml:3", "mcp.files.args=--root, /data dir c.yaml:4", "mcp.files.env=PATH, HOME c.yaml:5", "mcp.files.tools=read c.yaml:6",
		"mcp.files.ask=write c.yaml:7", "mcp.files.timeout=5s c.yaml:8", "mcp.files.max_output=1000 c.yaml:9", "mcp.web.url=https://tools.example.com/mcp c.yaml:10", "mcp.web.header_file=web.header c.yaml:10",
	}, shown); diff != "" {
		t.Error(diff)
	}
}

func TestServersThatCannotBe(t *testing.T) {
	table, err := Table(testApp(t))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a b: {command: x, tools: []}":                      "a server's name must be",
		"a: {tools: []}":                                    "a command or a url, and not both",
		"a: {command: x, url: 'https://h', tools: []}":      "a command or a url, and not both",
		"a: {command: x}":                                   "names no tools",
		"a: {url: 'https://h', env: [A], tools: []}":        "belong to a command",
		"a: {command: x, header_file: f, tools: []}":        "belongs to a url",
		"a: {url: 'https://me:hunter2@h', tools: []}":       "holds credentials",
		"a: {command: x, env: [TOKEN=hunter2], tools: []}":  "the name of a variable",
		"a: {command: x, env: {TOKEN: hunter2}, tools: []}": "it must be a list",
		"a: {command: x, tools: read}":                      "it must be a list",
		"a: {command: x, tools: [[read]]}":                  "must be one value",
		"a: {command: x, tool: [read]}":                     `did you mean "tools"`,
		"a: {command: x, tools: [], timeout: 0s}":           "positive",
		"a: {command: '', tools: []}":                       "is empty",
		"a: {command: x, tools: []}\n  a: {command: x}":     "already set",
		"- a": `needs lines of "key: value"`,
	} {
		entries, err := parseConfig("c.yaml", []byte("mcp:\n  "+text+"\n"), table)
		if err == nil {
			s := Default(false)
			var p parser
			p.apply(&s, table, entries)
			err = p.err
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "c.yaml:") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}
