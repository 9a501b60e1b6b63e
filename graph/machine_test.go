package graph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// machineFiles are those of the machine: the rules of a run.
var machineFiles = []string{
	"machine.go", "outcome.go", "snapshot.go", "frontier.go", "merge.go", "enter.go", "ledger.go", "rejoin.go", "restore.go", "save.go", "saveatexit.go", "savesend.go", "saved.go",
}

// TestMachineHasNoIO parses the machine's files. They start no goroutine, use no
// channel and no lock, hold no context, and read no clock, file or random number.
func TestMachineHasNoIO(t *testing.T) {
	for _, name := range machineFiles {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains([]string{"context", "sync", "sync/atomic", "os", "io", "net", "math/rand", "math/rand/v2", "crypto/rand", "runtime"}, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine", name)
			case *ast.SendStmt, *ast.SelectStmt, *ast.ChanType:
				t.Errorf("%s uses a channel", name)
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && n.Sel.Name != "Duration" && n.Sel.Name != "Time" {
					t.Errorf("%s calls time.%s", name, n.Sel.Name)
				}
			}
			return true
		})
	}
}
