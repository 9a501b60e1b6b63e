package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readsErrors finds code that decides by the words of an error.
var readsErrors = regexp.MustCompile(`(?:strings\.(?:Contains|HasPrefix|HasSuffix|EqualFold|Index)|\.MatchString)\([^()\n]*\.Error\(\)|\.Error\(\)\s*==`)

// Errors are told apart by type and value. Their texts are for people, and
// change.
func TestNobodyDecidesByAnErrorsText(t *testing.T) {
	if testing.Short() {
		t.Skip("it only reads the sources")
	}
	if !readsErrors.MatchString(`if strings.Contains(err.Error(), "429")`) {
		t.Fatal("the pattern finds nothing")
	}
	root := repositoryRoot(t)
	for file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if found := readsErrors.FindString(string(data)); found != "" {
			t.Errorf("%s decides by the text of an error: %s", file, found)
		}
	}
}
