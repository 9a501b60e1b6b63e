package graph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// positionFiles are those of where a run stands.
var positionFiles = []string{
	"position.go", "snapshot.go", "merge.go", "enter.go", "ledger.go", "rejoin.go", "restore.go", "save.go", "saveatexit.go", "savesend.go", "saved.go",
}

// TestNoIO parses the files of the machine and of the position. They start no goroutine, use no
// channel and no lock, hold no context, and read no clock, file or random number. The machine
// imports nothing but slices.
func TestNoIO(t *testing.T) {
	machine, err := filepath.Glob("internal/machine/*.go")
	if err != nil || len(machine) == 0 {
		t.Fatal(machine, err)
	}
	machine = slices.DeleteFunc(machine, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	for _, name := range slices.Concat(positionFiles, machine) {
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
			if slices.Contains(machine, name) && path != "slices" {
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
