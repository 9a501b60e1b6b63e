package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// commandWords finds what a person types: a flag, or a verb of the command.
var commandWords = regexp.MustCompile(`(^|[\s(“"'=])--[a-z]|\bagent (ask|backup|chat|comply|corpus|doctor|edges|eval|extract|graph|help|ingest|mcp|memory|restore|resume|search|serve|threads|trace|train|verify|worker)\b`)

// typed are the packages and files, besides commands, whose texts are command lines
// and not messages. So is each task.go in eval, which describes a verb: what may be
// typed, and which of it is refused.
var typed = map[string]bool{
	"eval/figures":         true, // what eval all runs
	"eval/show/junit.go":   true, // the name of a suite of tests
	"eval/task/options.go": true, // the verbs' usage
}

func isTyped(file string) bool {
	described, _ := path.Match("eval/*/task.go", file)
	return described || typed[file] || typed[path.Dir(file)]
}

// A library does not know which command it is part of: its texts name no flag and no
// verb. What to type is said by cmd/agent/advice.go.
func TestLibrariesNameNoFlags(t *testing.T) {
	for _, text := range []string{"run: agent ingest PATH…", "give --text-field", "leave it out (--rebuild)", "--all"} {
		if !commandWords.MatchString(text) {
			t.Fatalf("the pattern does not find %q", text)
		}
	}
	root := repositoryRoot(t)
	seen := 0
	for file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(path.Dir(file), "test") || within(file, "cmd") || isTyped(file) {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name == "main" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if found := commandWords.FindString(text); found != "" {
				t.Errorf("%s:%d says %q: a library names no flag and no verb of the command", file, set.Position(lit.Pos()).Line, strings.TrimSpace(found))
			}
			return true
		})
	}
	if seen < 1000 {
		t.Errorf("only %d texts were seen: the test looks in the wrong place", seen)
	}
}
