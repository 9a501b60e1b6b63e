package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.com/assay/internal/plainjson"
	"example.com/assay/release/licences"
)

// tool runs a program that release/tools pins.
func (s source) tool(ctx context.Context, name string, args ...string) error {
	line := append([]string{"tool", "-modfile=" + filepath.Join("release", "tools", "go.mod"), name}, args...)
	_, err := output(ctx, s.root, []string{"GOFLAGS=-trimpath"}, "go", line...)
	return err
}

// components returns the list of components in a binary, in CycloneDX's format, with the licences of
// the modules and the time of the commit. It leaves out the hashes of the tool that made the list:
// they differ from machine to machine.
func (s source) components(ctx context.Context, binary, work string, modules []licences.Module) ([]byte, error) {
	path := filepath.Join(work, "components.json")
	if err := s.tool(ctx, "cyclonedx-gomod", "bin", "-json", "-noserial", "-notimestamp", "-std", "-version", s.version, "-output", path, binary); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list map[string]any
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("reading the list of components: %w", err)
	}
	metadata, ok := list["metadata"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("reading the list of components: it has no metadata")
	}
	metadata["timestamp"] = s.time.Format(time.RFC3339)
	for _, t := range objects(metadata["tools"]) {
		delete(t, "hashes")
	}
	kinds := map[any][]any{}
	for _, m := range modules {
		names := map[string]bool{}
		for _, f := range m.Files {
			for _, kind := range f.Kinds {
				names[kind] = true
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(names)) {
			kinds[m.Path] = append(kinds[m.Path], map[string]any{"license": map[string]any{"id": kind}})
		}
	}
	for _, c := range objects(list["components"]) {
		if known := kinds[c["name"]]; known != nil {
			c["licenses"] = known
		}
	}
	if data, err = plainjson.Encode(list); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, append(data, '\n'), "", "  ")
	return out.Bytes(), err
}

// objects returns the objects in a list.
func objects(list any) []map[string]any {
	var out []map[string]any
	if all, ok := list.([]any); ok {
		for _, one := range all {
			if object, ok := one.(map[string]any); ok {
				out = append(out, object)
			}
		}
	}
	return out
}

// texts joins the licences and notices of all modules.
func texts(modules []licences.Module) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "The program contains these modules. Their licences and notices follow.\n\n")
	for _, m := range modules {
		fmt.Fprintf(&out, "%s %s\n", m.Path, m.Version)
	}
	for _, m := range modules {
		for _, f := range m.Files {
			fmt.Fprintf(&out, "\n%s\n%s %s: %s\n\n%s\n", "================================================================", m.Path, m.Version, f.Name, bytes.TrimSpace(f.Text))
		}
	}
	return out.Bytes()
}
