package licences

import (
	"os"
	"strings"
	"testing"
)

// Everything that the command links has a permissive licence, whose text is there.
func TestLinked(t *testing.T) {
	if testing.Short() {
		t.Skip("it asks the go command about all that is linked")
	}
	if _, err := os.ReadFile("../../go.mod"); err != nil { // the test cache looks at files that a test reads
		t.Fatal(err)
	}
	modules, err := Linked(t.Context(), "../..", "./cmd/agent", []string{"linux/amd64", "darwin/arm64", "windows/amd64"})
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 100 {
		t.Errorf("only %d modules", len(modules))
	}
	for _, m := range modules {
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		for _, f := range m.Files {
			t.Log(m.Path, m.Version, f.Name, f.Kinds, f.Share)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	apache, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"GPL":          "This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.",
		"nothing":      "All rights reserved.",
		"more clauses": string(apache) + strings.Repeat("\nThe licensee shall not sell what contains this software, in whole or in part, to anybody.", 400),
	} {
		kinds, share := Detect([]byte(text))
		m := Module{Path: "example.org/x", Files: []File{{Name: "LICENSE", Text: []byte(text), Kinds: kinds, Share: share}}}
		if err := m.Check(); err == nil {
			t.Errorf("%s: %v, %.0f %% is accepted", name, kinds, share)
		}
	}
	if err := (Module{Path: "example.org/x", Files: []File{{Name: "NOTICE"}}}).Check(); err == nil {
		t.Error("a module without a licence is accepted")
	}
	kinds, share := Detect(apache)
	if err := (Module{Path: "example.org/x", Files: []File{{Name: "LICENSE", Kinds: kinds, Share: share}}}).Check(); err != nil {
		t.Error(err)
	}
}
