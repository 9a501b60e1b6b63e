package llm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Providers carry prompts. What a prompt was rendered from is for models that are
// algorithms, and for those that record and count.
func TestProvidersReadNoOrigin(t *testing.T) {
	files := 0
	for _, pkg := range []string{"openai", "gemini", "langchain", "internal/wire"} {
		names, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files++
			parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Origin" || s.Sel.Name == "SkillHash" || s.Sel.Name == "Vars") {
					t.Errorf("%s reads %s of a request", name, s.Sel.Name)
				}
				return true
			})
		}
	}
	if files < 20 {
		t.Errorf("only %d files were read", files)
	}
}
