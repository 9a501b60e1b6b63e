package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/memory/index/weaviate/weaviatetest"
)

// A corpus is ingested to a server once, and every verb finds it there.
func TestIndexOnAServer(t *testing.T) {
	nodes := weaviatetest.Start(t, 1)
	file := filepath.Join(t.TempDir(), "permits.md")
	if err := os.WriteFile(file, []byte(clitest.Permits), 0o644); err != nil {
		t.Fatal(err)
	}
	u := storeUser{t: t, home: t.TempDir(), env: map[string]string{}}
	u.run(cli.ExitDone, "ingest", "--index", nodes.Address(""), file)
	u.shows(`"index": "weaviate://`, "corpus", "list", "--json")
	u.shows(`index: weaviate://`, "corpus", "show", "default")
	u.shows(`permits.md`, "search", clitest.PermitQuestion)
	u.shows(`"status": "answered"`, "ask", "--json", clitest.PermitQuestion)
	u.shows(`(?m)^ok    corpora `, "doctor")
	u.shows(`unchanged 1`, "ingest", file)
	nodes.Kill(0)
	if got := u.run(cli.ExitFailed, "doctor"); !regexp.MustCompile(`(?m)^fail  corpora .*cannot be used`).MatchString(got) {
		t.Errorf("without the server doctor says\n%s", got)
	}
}

// Without a server the refusals say what to type.
func TestIndexRefusals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "permits.md")
	if err := os.WriteFile(file, []byte(clitest.Permits), 0o644); err != nil {
		t.Fatal(err)
	}
	u := storeUser{t: t, home: t.TempDir(), env: map[string]string{"ASSAY_INDEX": "elastic://db:9200"}}
	if got := u.run(cli.ExitUsage, "ingest", file); !regexp.MustCompile(`(?s)ASSAY_INDEX.*weaviate://HOST:PORT.*or write files`).MatchString(got) {
		t.Errorf("an index of another kind: %s", got)
	}
	u.env["ASSAY_INDEX"] = "files"
	u.run(cli.ExitDone, "ingest", file)
}
