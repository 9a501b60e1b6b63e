package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/assay/release/licences"
)

// sumsFile holds the SHA-256 of all other files of a release, for sha256sum --check.
const sumsFile = "SHA256SUMS"

// artefact is the name of the files for a system, without an ending.
func (s source) artefact(system string) string {
	return fmt.Sprintf("%s_%s_%s", project, s.plain(), strings.ReplaceAll(system, "/", "_"))
}

// release makes all files for these systems in a folder. It writes the sums last; without them the
// release is not finished.
func (s source) release(ctx context.Context, out string, systems []string) (err error) {
	begun := time.Now()
	if err := empty(out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "assay-release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	goVersion, err := output(ctx, s.root, nil, "go", "env", "GOVERSION")
	if err != nil {
		return err
	}
	step("%s of %.12s with %s, for %s", s.version, s.commit, goVersion, strings.Join(systems, " "))
	// The modules of all systems, so that a part of a release has the same texts as the whole.
	modules, err := licences.Linked(ctx, s.root, command, all)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.Check(); err != nil {
			return fmt.Errorf("checking licences: %w", err)
		}
	}
	binaries, err := s.binaries(ctx, work, systems)
	if err != nil {
		return err
	}
	common, err := s.common(ctx, work, binaries[here()], modules)
	if err != nil {
		return err
	}
	var made []string
	for _, system := range systems {
		names, err := s.pack(ctx, out, work, system, binaries[system], common, modules)
		if err != nil {
			return err
		}
		made = append(made, names...)
	}
	if err := sums(out, made); err != nil {
		return err
	}
	step("%d files in %s after %s", len(made)+1, out, time.Since(begun).Round(time.Second))
	return nil
}

// binaries builds the command for these systems and for this machine's, and returns the paths by
// system.
func (s source) binaries(ctx context.Context, work string, systems []string) (map[string]string, error) {
	built := map[string]string{}
	for _, system := range append(slices.Clone(systems), here()) {
		if built[system] != "" {
			continue
		}
		begun := time.Now()
		built[system] = filepath.Join(work, strings.ReplaceAll(system, "/", "_"), executable(system))
		if err := s.build(ctx, system, built[system]); err != nil {
			return nil, err
		}
		info, err := os.Stat(built[system])
		if err != nil {
			return nil, err
		}
		step("%s: %.1f MB after %s", system, float64(info.Size())/1e6, time.Since(begun).Round(time.Second))
	}
	return built, nil
}

// common returns the files in the archives of all systems.
func (s source) common(ctx context.Context, work, binary string, modules []licences.Module) ([]file, error) {
	step("manual and completions")
	pages := filepath.Join(work, "man")
	if err := os.Mkdir(pages, 0o755); err != nil {
		return nil, err
	}
	all, err := s.manual(ctx, pages)
	if err != nil {
		return nil, err
	}
	shells, err := completions(ctx, binary, work)
	if err != nil {
		return nil, err
	}
	all = append(append(all, shells...), file{name: "licences.txt", data: texts(modules), mode: 0o644})
	for name, path := range map[string]string{
		"README.md": "README.md", "LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md",
		"systemd/assay-serve.service": "release/systemd/assay-serve.service", "systemd/assay-serve.socket": "release/systemd/assay-serve.socket",
		"systemd/assay-worker.service": "release/systemd/assay-worker.service", "systemd/worker.env": "release/systemd/worker.env",
	} {
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: name, data: data, mode: 0o644})
	}
	return all, nil
}

// pack writes the archive, the components and, for Linux, the package of one system. It
// returns their names.
func (s source) pack(ctx context.Context, out, work, system, binary string, common []file, modules []licences.Module) ([]string, error) {
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	files := append(slices.Clone(common), file{name: executable(system), data: data, mode: 0o755})
	linux, windows := strings.HasPrefix(system, "linux/"), strings.HasPrefix(system, "windows/")
	if !linux {
		files = slices.DeleteFunc(files, func(f file) bool { return strings.HasPrefix(f.name, "systemd/") })
	}
	name := s.artefact(system)
	archive, ending := tarball, ".tar.gz"
	if windows {
		archive, ending = zipped, ".zip"
	}
	packed, err := archive(sorted(name, files), s.time)
	if err != nil {
		return nil, err
	}
	listed, err := s.components(ctx, binary, work, modules)
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{name + ending: packed, name + ".cdx.json": listed}
	if linux {
		path, err := s.debian(ctx, system, work, files)
		if err != nil {
			return nil, err
		}
		if made[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	var names []string
	for name, data := range made {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		step("%s: %.1f MB", name, float64(len(made[name]))/1e6)
	}
	return names, nil
}

// sums writes the file of sums.
func sums(dir string, names []string) error {
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), []byte(text.String()), 0o644)
}
