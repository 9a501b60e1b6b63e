package repository

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// linked says what libraries the pipelines may link, by whatever way: those of the
// model's answers (JSON Schema), of skills (YAML) and of words (stems). No pipeline
// links an index, a database or the readers of file formats.
var linked = map[string][]string{
	"nodes/research": nil,
	"nodes/verify":   nil,
	"nodes/evidence": nil,
	"nodes/causal":   nil,
	"nodes/extract":  {"golang.org/x/text/language", "golang.org/x/text/message", "github.com/santhosh-tekuri/jsonschema/v6/kind"},
}

var linkedByAll = []string{
	"github.com/blevesearch/snowballstem",
	"github.com/blevesearch/snowballstem/english",
	"github.com/blevesearch/snowballstem/danish", "github.com/blevesearch/snowballstem/dutch", "github.com/blevesearch/snowballstem/finnish",
	"github.com/blevesearch/snowballstem/french", "github.com/blevesearch/snowballstem/german", "github.com/blevesearch/snowballstem/italian",
	"github.com/blevesearch/snowballstem/norwegian", "github.com/blevesearch/snowballstem/portuguese", "github.com/blevesearch/snowballstem/russian",
	"github.com/blevesearch/snowballstem/spanish", "github.com/blevesearch/snowballstem/swedish", "github.com/blevesearch/snowballstem/turkish",
	"golang.org/x/text/unicode/norm", "golang.org/x/text/width",
	"github.com/google/jsonschema-go/jsonschema",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"go.yaml.in/yaml/v3",
}

// The imports are followed here, file by file, because what the go command lists
// would be served from the test cache when it is out of date.
func TestPipelinesLinkNoIndex(t *testing.T) {
	imports := map[string][]string{} // by package
	for file, list := range goFiles(t) {
		if !strings.HasSuffix(file, "_test.go") {
			imports[path.Dir(file)] = append(imports[path.Dir(file)], list...)
		}
	}
	for pipeline, more := range linked {
		ways := map[string]string{pipeline: pipeline} // a package, and how it is reached
		libraries := map[string]bool{}
		for queue := []string{pipeline}; len(queue) > 0; queue = queue[1:] {
			for _, imp := range imports[queue[0]] {
				inner, ours := strings.CutPrefix(imp, module+"/")
				switch {
				case ours && ways[inner] == "":
					ways[inner] = ways[queue[0]] + " → " + inner
					queue = append(queue, inner)
				case ours || !strings.Contains(strings.Split(imp, "/")[0], "."):
				case slices.Contains(linkedByAll, imp) || slices.Contains(more, imp):
					libraries[imp] = true
				default:
					t.Errorf("%s imports %s by %s", pipeline, imp, ways[queue[0]])
				}
			}
		}
		if !libraries["go.yaml.in/yaml/v3"] {
			t.Errorf("%s is not seen to import what skills are read with: the test does not follow imports", pipeline)
		}
	}
}
