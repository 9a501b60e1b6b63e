package backup

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/assay/internal/disk"
)

// archiveVersion is the version of the archive's format.
const archiveVersion = 1

// manifestName is the archive's last entry, which lists the others.
const manifestName = "manifest.json"

// filesPrefix begins the names of the home's files, so that none of them is taken for the manifest.
const filesPrefix = "home/"

// A manifest says what an archive holds.
type manifest struct {
	Version int      `json:"assay_backup"`
	Program string   `json:"program"`
	Home    string   `json:"home"` // where it was
	Formats []format `json:"formats"`
	Files   []entry  `json:"files"` // by name
	manifestInfo
}

// manifestInfo is the part of a manifest that a restore reports.
type manifestInfo struct {
	Made    time.Time `json:"made"`
	LeftOut []leftOut `json:"left_out"` // what the home had and the archive does not
}

// A format is the version of a file whose format has one.
type format struct {
	File    string `json:"file"`
	Version int    `json:"version"`
}

// An entry is a file of the home.
type entry struct {
	Name   string `json:"name"` // slash-separated, below the home
	Size   int64  `json:"size"`
	Mode   uint32 `json:"mode"` // permission bits
	SHA256 string `json:"sha256"`
}

// leftOut is a file or a corpus that is not in the archive, with the reason.
type leftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	fault  bool   // it should have been there
}

func (m *manifest) bytes() (sum int64) {
	for _, e := range m.Files {
		sum += e.Size
	}
	return sum
}

// write writes the files of a folder and the manifest, which it completes.
func (m *manifest) write(ctx context.Context, to io.Writer, dir string, progress func(done int)) error {
	z := zip.NewWriter(to)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		e, err := add(z, file, filepath.ToSlash(rel))
		if err == nil {
			m.Files = append(m.Files, e)
			progress(len(m.Files))
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(m.Files, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	w, err := z.Create(manifestName)
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	return errors.Join(err, z.Close())
}

func add(z *zip.Writer, file, name string) (e entry, err error) {
	in, err := os.Open(file)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return e, err
	}
	w, err := z.Create(filesPrefix + name)
	if err != nil {
		return e, err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), in)
	return entry{Name: name, Size: n, Mode: uint32(info.Mode().Perm()), SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}

const (
	maxManifest = 512 << 20 // bytes of the manifest, which is read into memory
	maxRatio    = 1032      // bytes that deflate can make of one compressed byte, at most
)

// A BadArchiveError says why an archive is not restored.
type BadArchiveError struct {
	File string
	Err  error
}

func (e *BadArchiveError) Error() string {
	return fmt.Sprintf("%s is not restored: %v; nothing was changed, use another backup", e.File, e.Err)
}

func (e *BadArchiveError) Unwrap() error { return e.Err }

// An archive is an open backup. Its list of files was checked, their bytes were not.
type archive struct {
	manifest
	entries []*zip.File // by index of manifest.Files
	close   func() error
}

func openArchive(file string) (_ *archive, err error) {
	z, err := zip.OpenReader(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if err != nil {
		return nil, &BadArchiveError{file, fmt.Errorf("it is damaged, or is not a backup (%w)", err)}
	}
	defer func() {
		if err != nil {
			err = errors.Join(&BadArchiveError{file, err}, z.Close())
		}
	}()
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	a := &archive{close: z.Close}
	held := map[string]*zip.File{}
	for _, f := range z.File {
		if held[f.Name] != nil {
			return nil, fmt.Errorf("it holds %q twice", f.Name)
		}
		held[f.Name] = f
	}
	if err := a.readManifest(held[manifestName]); err != nil {
		return nil, err
	}
	delete(held, manifestName)
	room := maxRatio * info.Size() // bytes that the other files may have
	for _, e := range a.Files {
		f := held[filesPrefix+e.Name]
		switch {
		case e.Size > room:
			return nil, fmt.Errorf("its manifest lists more bytes than a file of %d bytes can hold", info.Size())
		case !fs.ValidPath(e.Name) || e.Name == "." || !filepath.IsLocal(filepath.FromSlash(e.Name)) || strings.ContainsAny(e.Name, "\\\x00"):
			return nil, fmt.Errorf("it names the file %q, which is not below a home", e.Name)
		case f == nil:
			return nil, fmt.Errorf("%q is in its manifest and not in it", e.Name)
		case !f.Mode().IsRegular():
			return nil, fmt.Errorf("%q is not a regular file", e.Name)
		case e.Size < 0 || f.UncompressedSize64 != uint64(e.Size):
			return nil, fmt.Errorf("%q has %d bytes, and its manifest says %d", e.Name, f.UncompressedSize64, e.Size)
		}
		room -= e.Size
		a.entries = append(a.entries, f)
		delete(held, f.Name)
	}
	for name := range held {
		return nil, fmt.Errorf("it holds %q, which its manifest does not list", name)
	}
	return a, nil
}

func (a *archive) readManifest(f *zip.File) (err error) {
	if f == nil {
		return errors.New("it has no manifest: it is not a backup of this program, or was cut")
	}
	if f.UncompressedSize64 > maxManifest {
		return fmt.Errorf("its manifest has %d bytes, more than %d", f.UncompressedSize64, maxManifest)
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	data, err := io.ReadAll(io.LimitReader(r, maxManifest))
	if err != nil {
		return fmt.Errorf("reading its manifest: %w", err)
	}
	if err := json.Unmarshal(data, &a.manifest); err != nil {
		return fmt.Errorf("reading its manifest: %w", err)
	}
	if a.Version > archiveVersion {
		return fmt.Errorf("it has format %d, and this program knows up to %d: a newer version made it, restore it with that", a.Version, archiveVersion)
	}
	if a.Version < 1 {
		return errors.New("its manifest is not one of a backup")
	}
	return nil
}

// extract writes the files into an empty folder and waits until they are on the disk. Every file
// is compared with its checksum.
func (a *archive) extract(ctx context.Context, dir string, progress func(done int)) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for i, e := range a.Files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(e.Name)), 0o700); err != nil {
			return err
		}
		if err := a.extractFile(root, a.entries[i], e); err != nil {
			return fmt.Errorf("writing %s: %w", e.Name, err)
		}
		progress(i + 1)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return disk.Sync(path)
	})
}

func (a *archive) extractFile(root *os.Root, f *zip.File, e entry) (err error) {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := root.OpenFile(filepath.FromSlash(e.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(e.Mode)&0o700|0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, e.Size+1))
	if err == nil && (n != e.Size || hex.EncodeToString(sum.Sum(nil)) != e.SHA256) {
		err = errors.New("its bytes are not those of the manifest's checksum")
	}
	if err == nil {
		err = out.Sync()
	}
	return err
}
