package repository

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "example.com/assay"

// layers says which packages of the module a package may import. The longest
// prefix that matches a package decides; a package may always import those
// below its own prefix.
var layers = map[string][]string{
	"graph": {},

	// What opens SQLite files is plumbing that imports nothing of ours. It stands
	// outside of graph and memory because packages of both keep such files.
	"internal/sqlfile": {"internal/again", "internal/plainfile"},
	// What opens the files that people name is read by packages of every layer.
	"internal/plainfile":   {},
	"internal/plainjson":   {}, // how all but the engine write JSON for readers
	"internal/disk":        {"internal/again"},
	"internal/again":       {},
	"internal/hostiletest": {"internal/browsertest"},
	// What makes tables in PostgreSQL, and what connects tests to a server, likewise.
	"internal/pgschema": {},
	"internal/pgtest":   {},
	// What looks at pages in a browser, and what installs packages of npm for that.
	"internal/npmtest":     {},
	"internal/browsertest": {"internal/npmtest"},

	// What prints documents for training reads them as memory does.
	"train/rows": {"internal/plainjson", "memory"},

	// What makes a release builds the command, and imports nothing of it.
	"release":          {"internal/plainjson", "release/licences"},
	"release/licences": {},
	"release/weigh":    {},

	// Savers and stores do not know each other; what tests all of them knows all.
	"graph/checkpoint/internal":       {"graph"},
	"graph/checkpoint/checkpointtest": {"graph"},
	"graph/checkpoint/memory":         {"graph", "graph/checkpoint/internal"},
	"graph/checkpoint/sqlite":         {"graph", "graph/checkpoint/internal", "internal/sqlfile"},
	"graph/checkpoint/postgres":       {"graph", "graph/checkpoint/internal", "internal/pgschema"},
	"graph/internal/savers":           {"graph", "graph/checkpoint/sqlite", "graph/checkpoint/postgres", "internal/pgtest"},

	"graph/layout":                  {"graph"},
	"graph/trace":                   {"graph", "internal/plainjson"},
	"graph/eventlog":                {"internal/pgschema", "internal/sqlfile"},
	"graph/temporal":                {"internal/again", "graph", "graph/store", "graph/eventlog"},
	"serve/runs":                    {"graph", "graph/store", "graph/eventlog"},
	"serve/view":                    {"graph", "graph/trace", "state"},
	"serve/page":                    {"graph", "graph/layout", "graph/trace", "memory/retrieval", "serve/internal/refusal", "serve/internal/seal", "serve/internal/sse", "serve/runs", "serve/view", "state"},
	"serve/page/look":               {},
	"serve/page/pdfjs":              {},
	"serve/page/evidence":           {"serve/page/look", "state"},
	"serve/page/run":                {"graph", "graph/layout", "graph/trace", "serve/page/look", "serve/view", "state"},
	"serve/files":                   {"graph/checkpoint/sqlite", "graph/eventlog", "graph/store/sqlite"},
	"serve/internal/servetest":      {"serve/files"},
	"serve/internal/refusal":        {"graph", "graph/store", "serve/runs"},
	"serve/internal/sse":            {},
	"serve/internal/seal":           {"graph/store"},
	"serve/oidc":                    {"serve", "serve/runs"},
	"serve/langgraph":               {"graph", "graph/store", "state/event", "state/message", "serve/internal/refusal", "serve/internal/sse", "serve/runs"},
	"serve/openai":                  {"graph", "graph/store", "state/event", "state/message", "serve/internal/refusal", "serve/internal/sse", "serve/runs"},
	"serve/agui":                    {"graph", "graph/store", "state/event", "state/message", "serve/internal/refusal", "serve/internal/sse", "serve/runs"},
	"serve/a2a":                     {"graph", "graph/store", "state/message", "serve/internal/refusal", "serve/internal/sse", "serve/runs"},
	"serve/mcp":                     {"graph", "graph/store", "serve/internal/seal", "serve/runs"},
	"serve":                         {"graph", "graph/store", "graph/eventlog", "serve/internal/refusal", "serve/internal/seal", "serve/runs", "serve/a2a", "serve/agui", "serve/langgraph", "serve/mcp", "serve/openai", "serve/page"},
	"graph/temporal/temporaltest":   {"graph/temporal"},
	"graph/store":                   {"internal/plainjson"},
	"graph/store/memory":            {"graph/store"},
	"graph/store/sqlite":            {"graph/store", "internal/sqlfile"},
	"graph/store/postgres":          {"graph/store", "internal/pgschema"},
	"graph/store/storetest":         {"graph/store"},
	"graph/store/internal/backends": {"graph/store", "graph/store/memory", "graph/store/sqlite", "graph/store/postgres", "graph/store/storetest", "internal/pgtest"},

	"state":         {},
	"skills":        {"state"}, // the types of evidence are inputs of skills
	"llm":           {"graph", "skills", "state", "internal/plainfile", "internal/plainjson"},
	"llm/offline":   {"graph", "skills", "state", "internal/plainjson", "llm", "memory/text", "memory/answer", "decide"},
	"llm/llmtest":   {"graph", "skills", "state", "llm"},
	"llm/internal":  {"internal/plainjson", "llm"},
	"llm/openai":    {"llm", "llm/internal"},
	"llm/gemini":    {"llm", "llm/internal"},
	"llm/langchain": {"llm", "llm/internal"},
	"telemetry":     {"graph", "llm", "state"},
	"llm/rerank":    {"llm", "llm/internal", "skills"},
	"llm/postgres":  {"llm", "internal/pgschema"},
	"llm/classify":  {"llm", "llm/internal", "skills", "state", "memory/text"},
	"memory/text":   {},
	"decide":        {"skills", "state", "memory/text"},
	"memory":        {"state", "internal/disk", "internal/sqlfile", "memory/text"}, // memory/qa keeps a file
	"memory/embed":  {"internal/sqlfile", "memory/text"},

	// What keeps rows in a database stands by itself, so that no pipeline links it.
	"memory/qa/postgres":    {"memory/qa", "internal/pgschema"},
	"memory/embed/postgres": {"memory/embed", "internal/pgschema"},

	// Below the index, each package knows those above it in this list.
	"memory/index/internal/codec":      {},
	"memory/index/internal/analysis":   {"memory/text", "state"},
	"memory/index/internal/storage":    {"memory/index/internal/codec", "memory/index/internal/analysis", "memory/citation", "memory/lsa", "memory/text", "state"},
	"memory/index/internal/served":     {"memory/index/internal/codec", "memory/index/internal/analysis", "memory/index/internal/storage", "memory/citation", "memory/lsa", "memory/text", "state"},
	"memory/index/internal/meaning":    {"memory/index/internal/codec", "memory/vector"},
	"memory/index/internal/queryterms": {"memory/index/internal/analysis", "memory/index/internal/storage", "memory/index/internal/served", "memory/retrieval", "memory/text", "state"},
	"memory/index/internal/ranking":    {"memory/index/internal/codec", "memory/index/internal/analysis", "memory/index/internal/storage", "memory/index/internal/served", "memory/index/internal/meaning", "memory/index/internal/queryterms", "memory/citation", "memory/lsa", "memory/retrieval", "memory/text", "memory/vector", "state"},

	// A server of indexes knows the index alone, and no corpus.
	"memory/index/weaviate": {"internal/again", "memory/index"},

	"nodes/conversation": {"graph", "state/message"},
	"nodes":              {"graph", "graph/store", "graph/trace", "state", "skills", "llm", "memory", "memory/text", "decide", "internal/plainfile", "internal/plainjson"},
	"eval":               {"graph", "graph/trace", "state", "skills", "llm", "llm/offline", "llm/classify", "memory", "memory/embed", "memory/text", "decide", "nodes", "nodes/conversation", "case_studies", "serve/page/look", "serve/page/evidence", "internal/plainfile", "internal/plainjson"},
	"case_studies":       {},
	"docs/examples":      {"graph", "serve", "serve/files", "graph/checkpoint/memory", "graph/trace", "state", "skills", "llm", "llm/llmtest", "llm/offline", "llm/openai", "memory", "nodes", "eval"}, // what a caller may import
	"cmd":                {"graph", "state", "skills", "llm", "memory", "nodes", "eval", "case_studies", "telemetry", "internal/plainfile", "internal/plainjson"},
}

// standsBehind says which library may be imported where. Libraries that are
// not listed may not be imported by code at all.
var standsBehind = map[string][]string{
	"github.com/blevesearch/bleve/v2":              {"memory/index/indextest"},
	"github.com/blevesearch/bleve_index_api":       {"memory/index/internal/storage", "memory/index/indextest"},
	"github.com/blevesearch/scorch_segment_api/v2": {"memory/index/internal/storage"},
	"github.com/blevesearch/zapx/v17":              {"memory/index/internal/storage"},
	"github.com/blevesearch/vellum":                {"memory/index/internal/storage"},
	"github.com/RoaringBitmap/roaring/v2":          {"memory/index/internal/storage"},
	"github.com/mattn/go-runewidth":                {"cmd/agent"},
	"github.com/blevesearch/snowballstem":          {"memory/text"},
	"gonum.org/v1/gonum":                           {"memory/lsa"},
	"github.com/gogs/chardet":                      {"memory/document"},
	"github.com/yuin/goldmark":                     {"memory/document"},
	"github.com/ledongthuc/pdf":                    {"memory/document"},
	"golang.org/x/net/html":                        {"memory/document"},
	"golang.org/x/text":                            {"decide", "memory", "nodes/extract"},
	"golang.org/x/sync":                            {"memory", "llm"},
	"github.com/santhosh-tekuri/jsonschema/v6":     {"llm", "nodes/extract"},
	"github.com/google/jsonschema-go":              {"llm", "serve/mcp"},
	"github.com/modelcontextprotocol/go-sdk":       {"serve/mcp", "serve", "cmd/agent", "nodes/mcp"}, // in tests of serve and cmd/agent
	"go.yaml.in/yaml/v3":                           {"skills", "memory/document", "nodes/react", "eval", "cmd/agent"},
	"github.com/a2aproject/a2a-go/v2":              {"serve/a2a"},
	"github.com/google/licensecheck":               {"release/licences"},
	"github.com/rs/zerolog":                        {"cmd/agent"},
	"github.com/spf13/cobra":                       {"cmd/agent"},
	"github.com/spf13/pflag":                       {"cmd/agent"},
	"github.com/peterh/liner":                      {"cmd/agent"},
	"github.com/schollz/progressbar/v3":            {"cmd/agent"},
	"github.com/sashabaranov/go-openai":            {"llm/openai", "serve/openai"}, // there in tests
	"google.golang.org/genai":                      {"llm/gemini"},
	"cloud.google.com/go/auth":                     {"llm/gemini"},
	"github.com/tmc/langchaingo":                   {"llm/langchain"},
	"golang.org/x/sys":                             {"cmd/agent", "graph/checkpoint/sqlite", "memory/vector", "memory/encode"},
	"github.com/prometheus/client_golang":          {"serve"},
	"github.com/coreos/go-oidc":                    {"serve/oidc"},
	"github.com/google/uuid":                       {"serve/runs", "serve/langgraph"},
	"github.com/robfig/cron/v3":                    {"serve/runs"},
	"github.com/jackc/pgx/v5":                      {"internal/pgschema", "internal/pgtest", "graph/checkpoint/postgres", "graph/store/postgres", "graph/eventlog", "memory/qa/postgres", "memory/embed/postgres", "llm/postgres", "cmd/agent", "graph/temporal"}, // the last in tests
	"go.temporal.io/sdk":                           {"graph/temporal", "cmd/agent"},
	"go.temporal.io/api":                           {"graph/temporal"},
	"github.com/cenkalti/backoff/v5":               {"internal/again"},
	"github.com/gofrs/flock":                       {"memory"},
	"modernc.org/sqlite":                           {"internal/sqlfile", "graph/checkpoint/sqlite"}, // there in tests
	"golang.org/x/term":                            {"cmd/agent"},
	"go.opentelemetry.io/otel":                     {"telemetry", "cmd/agent"},
	"github.com/go-logr/logr":                      {"cmd/agent"},
	"go.opentelemetry.io/otel/sdk":                 {"telemetry", "cmd/agent"}, // in telemetry by tests
	"go.opentelemetry.io/otel/exporters":           {"cmd/agent"},
}

// onlyInTests may be imported by test files anywhere.
var onlyInTests = []string{"github.com/google/go-cmp", "pgregory.net/rapid", "github.com/rogpeppe/go-internal",
	"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"}

// The files are parsed here and not listed by the go command, whose answer the
// test cache would not know to be out of date.
func TestLayers(t *testing.T) {
	seen := 0
	for file, imports := range goFiles(t) {
		pkg := path.Dir(file)
		isTest := strings.HasSuffix(file, "_test.go")
		for _, imp := range imports {
			seen++
			inner, ours := strings.CutPrefix(imp, module+"/")
			switch {
			case ours && !isTest:
				if !mayImport(pkg, inner) {
					t.Errorf("%s imports %s: %s may import only %v", file, inner, pkg, layers[longest(pkg, layers)])
				}
			case ours:
			case !strings.Contains(strings.Split(imp, "/")[0], "."): // standard library
			case isTest && slices.ContainsFunc(onlyInTests, func(lib string) bool { return within(imp, lib) }):
			default:
				lib := longest(imp, standsBehind)
				if lib == "" {
					t.Errorf("%s imports %s, which is no dependency that was agreed on (see docs/dependencies.md)", file, imp)
				} else if !slices.ContainsFunc(standsBehind[lib], func(home string) bool { return within(pkg, home) }) {
					t.Errorf("%s imports %s, which stands behind %v", file, imp, standsBehind[lib])
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d imports were seen: the test looks in the wrong place", seen)
	}
}

func mayImport(pkg, inner string) bool {
	layer := longest(pkg, layers)
	if layer == "" {
		return false
	}
	if within(inner, layer) && within(pkg, layer) {
		return true
	}
	return slices.ContainsFunc(layers[layer], func(allowed string) bool {
		// An adapter is named on its own: llm does not include llm/offline.
		return inner == allowed || within(inner, allowed) && longest(inner, layers) == allowed
	}) || layer == "cmd"
}

// within reports whether name is prefix or below it.
func within(name, prefix string) bool {
	return name == prefix || strings.HasPrefix(name, prefix+"/")
}

func longest(name string, table map[string][]string) string {
	best := ""
	for prefix := range table {
		if within(name, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	return best
}

// goFiles returns the imports of every Go file of the module by its path.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	root := repositoryRoot(t)
	files := map[string][]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() && name != root {
			// A folder with a go.mod is another module, with its own dependencies.
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		imports := []string{}
		for _, spec := range parsed.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imp)
		}
		files[filepath.ToSlash(rel)] = imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// repositoryRoot is the nearest folder above with a go.mod.
func repositoryRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
