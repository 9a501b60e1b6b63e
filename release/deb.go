package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A content is a file of a package, in nfpm's form.
type content struct {
	Source string   `json:"src"`
	Target string   `json:"dst"`
	Info   fileInfo `json:"file_info"`
}

type fileInfo struct {
	Mode  fs.FileMode `json:"mode"`
	Time  time.Time   `json:"mtime"`
	Owner string      `json:"owner"`
	Group string      `json:"group"`
}

// placed returns the place of a file by Debian's policy, and compresses the files that the policy
// wants compressed. Files with an empty place are left out.
func placed(f file) (string, file, error) {
	const doc = "/usr/share/doc/" + project + "/"
	base := filepath.Base(f.name)
	var place string
	switch {
	case f.name == program:
		place = "/usr/bin/" + base
	case strings.HasPrefix(f.name, "man/"):
		place = "/usr/share/man/man1/" + base + ".gz"
	case f.name == "completions/agent.bash":
		place = "/usr/share/bash-completion/completions/" + program
	case f.name == "completions/_agent":
		place = "/usr/share/zsh/vendor-completions/" + base
	case f.name == "completions/agent.fish":
		place = "/usr/share/fish/vendor_completions.d/" + base
	case strings.HasPrefix(f.name, "systemd/"):
		place = doc + "examples/" + base
		f.data = bytes.ReplaceAll(f.data, []byte("/usr/local/bin"), []byte("/usr/bin"))
	case f.name == "LICENSE":
		place = doc + "copyright"
	case f.name == "CHANGELOG.md":
		place = doc + "changelog.gz"
	case !strings.Contains(f.name, "/"):
		place = doc + base
	}
	if strings.HasSuffix(place, ".gz") {
		data, err := gz(f.data)
		return place, file{data: data, mode: f.mode}, err
	}
	return place, f, nil
}

// debian writes a Debian package for a system and returns its path.
func (s source) debian(ctx context.Context, system, work string, files []file) (string, error) {
	_, architecture, _ := strings.Cut(system, "/")
	dir := filepath.Join(work, "deb-"+architecture)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var contents []content
	for _, f := range files {
		place, f, err := placed(f)
		if err != nil {
			return "", err
		}
		if place == "" {
			continue
		}
		path := filepath.Join(dir, strings.ReplaceAll(place, "/", "_"))
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			return "", err
		}
		contents = append(contents, content{path, place, fileInfo{f.mode, s.time, "root", "root"}})
	}
	config, err := json.Marshal(map[string]any{
		"name": project, "arch": architecture, "platform": "linux", "version": s.plain(), "mtime": s.time,
		"section": "utils", "priority": "optional", "license": "Apache-2.0",
		"maintainer":  "The authors of Assay <assay@example.com>",
		"description": "answers from your own documents, with exact quotes\nThe command agent quotes byte ranges of files, and refuses when they do not\nanswer. It needs no key, no network and no weights.",
		"recommends":  []string{"ca-certificates"},
		"suggests":    []string{"bash-completion", "poppler-utils", "tesseract-ocr"},
		"contents":    contents,
	})
	if err != nil {
		return "", err
	}
	settings := filepath.Join(dir, "nfpm.json")
	if err := os.WriteFile(settings, config, 0o600); err != nil {
		return "", err
	}
	out := filepath.Join(work, s.artefact(system)+".deb")
	return out, s.tool(ctx, "nfpm", "package", "--config", settings, "--packager", "deb", "--target", out)
}
