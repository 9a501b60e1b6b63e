package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/meaning"
	"example.com/assay/memory/index/internal/storage"
)

// Versions of a generation's layout. Every change of what a file holds or of how text becomes
// terms takes a new one. A program refuses a version that it does not know.
const (
	formatVersion = 6
	spaceVersion  = 7  // with the vectors of a remote embedder
	changeVersion = 8  // the vectors' file is an earlier generation's, beside what has changed since
	serverVersion = 9  // without parts and vectors: the passages are on a server
	cutVersion    = 10 // with the vectors of pieces of passages, whatever the other vectors' file is
)

// Files of a generation, beside those of its parts.
const (
	manifestFile = "manifest"
	tableFile    = "table"
	lexiconFile  = "lexicon" // only where the passages are on a server
	termsFile    = "terms"   // of the bags, with how many passages hold each; only Update reads it
	modelFile    = "lsa"
	vectorsFile  = "vectors"
	meaningFile  = "meaning" // vectors of a remote embedder; only where there is one

	// What only a large corpus has: the lists that its vectors are found by. A
	// generation with the files of one without them is whole, and is scanned.
	listsFile        = "lists"
	changeFile       = "vectors-change"
	meaningListsFile = "meaning-lists"

	// What only a corpus whose passages are cut has: the vectors of the pieces, always with lists, and
	// how many each passage has.
	meaningCodesFile = "meaning-codes"
	meaningRowsFile  = "meaning-rows"
)

const manifestMagic = "assay-index"

// A manifest lists the files of a generation with their checksums. It is
// written last: a directory without it is not a generation.
type manifest struct {
	Stats       Stats          `json:"stats"`
	Changed     int            `json:"changed"`         // passages added or removed since the embedder was trained
	Calibration Calibration    `json:"calibration"`     // earlier programs learnt it from the corpus
	Scale       *meaning.Scale `json:"scale,omitempty"` // of a remote embedder; nil without one
	Parts       []storage.Part `json:"parts"`
	Files       []file         `json:"files"` // by name
}

type file struct {
	Name string `json:"name"` // slash-separated, below the generation
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

// encode writes a first line with the version and the checksum of the rest,
// which is JSON.
func (m *manifest) encode() ([]byte, error) {
	body, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	head := fmt.Sprintf("%s %d %08x\n", manifestMagic, m.version(), crc32.Checksum(body, codec.Castagnoli))
	return append([]byte(head), body...), nil
}

// version is that of the layout.
func (m *manifest) version() int {
	switch {
	case m.has(lexiconFile):
		return serverVersion
	case m.Stats.Cut != "":
		return cutVersion
	case m.has(changeFile):
		return changeVersion
	case m.Scale != nil:
		return spaceVersion
	}
	return formatVersion
}

func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, statErr := os.Stat(dir); statErr != nil {
			return nil, fmt.Errorf("opening index: %w", statErr)
		}
	}
	if err != nil {
		return nil, &CorruptError{Dir: dir, Err: err}
	}
	return decodeManifest(dir, data)
}

func decodeManifest(dir string, data []byte) (*manifest, error) {
	head, body, _ := strings.Cut(string(data), "\n")
	var version int
	var sum uint32
	if _, err := fmt.Sscanf(head, manifestMagic+" %d %x", &version, &sum); err != nil {
		return nil, &CorruptError{Dir: dir, Err: errors.New("its manifest is not one of ours")}
	}
	if version < formatVersion || version > cutVersion {
		return nil, &VersionError{Dir: dir, Got: version, Want: formatVersion}
	}
	if crc32.Checksum([]byte(body), codec.Castagnoli) != sum {
		return nil, &CorruptError{Dir: dir, Err: errors.New("its manifest was changed")}
	}
	m := new(manifest)
	if err := json.Unmarshal([]byte(body), m); err != nil {
		return nil, &CorruptError{Dir: dir, Err: fmt.Errorf("reading its manifest: %w", err)}
	}
	if version != m.version() || (m.Scale != nil) != (m.Stats.Space != "") || m.Scale == nil && m.Stats.Cut != "" {
		return nil, &CorruptError{Dir: dir, Err: errors.New("its manifest does not say how its passages are kept")}
	}
	return m, nil
}

// sidecars are the files that are read whole when a generation is opened.
func (m *manifest) sidecars() []string {
	out := []string{tableFile, modelFile}
	if !m.coded() {
		out = append(out, vectorsFile)
	}
	for _, name := range []string{meaningFile, listsFile, changeFile, meaningListsFile, meaningRowsFile} {
		if m.has(name) {
			out = append(out, name)
		}
	}
	for _, p := range m.Parts {
		out = append(out, p.Name+storage.SumsExt)
	}
	return out
}

// coded reports whether the vectors are so many that they are in lists, and read as
// they are needed.
func (m *manifest) coded() bool { return m.has(listsFile) }

func (m *manifest) has(name string) bool { return m.index(name) >= 0 }

// index is the place of a file among all, -1 of none.
func (m *manifest) index(name string) int {
	return slices.IndexFunc(m.Files, func(f file) bool { return f.Name == name })
}

// verify compares every file with the manifest. It returns the content of
// those named by keep.
func (m *manifest) verify(dir string, keep ...string) (map[string][]byte, error) {
	wait := m.verifyOthers(dir, keep, checkedWhole)
	kept, err := m.read(dir, keep)
	return kept, errors.Join(err, wait())
}

// read compares some files with the manifest and returns their content.
func (m *manifest) read(dir string, names []string) (map[string][]byte, error) {
	files := make([]file, len(names))
	for i, name := range names {
		at := m.index(name)
		if at < 0 {
			return nil, &CorruptError{Dir: dir, Err: errors.New("its manifest does not name every file")}
		}
		files[i] = m.Files[at]
	}
	content, errs := make([][]byte, len(files)), make([]error, len(files))
	codec.Parallel(len(files), func(i int) { content[i], errs[i] = files[i].verify(dir, wanted) })
	kept := make(map[string][]byte, len(files))
	for i, f := range files {
		if errs[i] != nil {
			return nil, &CorruptError{Dir: dir, Err: errs[i]}
		}
		kept[f.Name] = content[i]
	}
	return kept, nil
}

// checkedWhole is how many bytes of parts are compared with their check sums when a
// generation is opened. Larger parts are checked when they are read.
const checkedWhole = 64 << 20

// verifyOthers compares the files that are not named with the manifest while the caller goes
// on; they are most of a generation's bytes. Where they have more bytes than whole, only their
// sizes are compared. The caller must call wait.
func (m *manifest) verifyOthers(dir string, named []string, whole int64) (wait func() error) {
	var others []file
	var size int64
	for _, f := range m.Files {
		if !slices.Contains(named, f.Name) {
			others = append(others, f)
			size += f.Size
		}
	}
	how := streamed
	if size > whole {
		how = sized
	}
	var g errgroup.Group
	g.Go(func() error {
		for _, f := range others {
			if _, err := f.verify(dir, how); err != nil {
				return &CorruptError{Dir: dir, Err: err}
			}
		}
		return nil
	})
	return g.Wait
}

// How much of a file is compared with its entry.
const (
	sized    = iota // its size
	streamed        // and its check sum
	wanted          // the same, and its content is returned
)

// verify compares a file with its entry.
func (f file) verify(dir string, how int) (data []byte, err error) {
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return nil, fmt.Errorf("its manifest names the file %q", f.Name)
	}
	path, size, sum := filepath.Join(dir, filepath.FromSlash(f.Name)), f.Size, f.CRC
	switch how {
	case sized:
		var info fs.FileInfo
		if info, err = os.Stat(path); err == nil {
			size = info.Size()
		}
	case streamed:
		size, sum, err = checksum(path)
	case wanted:
		data, err = os.ReadFile(path)
		size, sum = int64(len(data)), crc32.Checksum(data, codec.Castagnoli)
	}
	switch {
	case err != nil:
	case size != f.Size:
		err = fmt.Errorf("file %s has %d bytes, want %d", f.Name, size, f.Size)
	case sum != f.CRC:
		err = fmt.Errorf("file %s was changed", f.Name)
	}
	return data, err
}

// checksum reads a file.
func checksum(path string) (size int64, sum uint32, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	h := crc32.New(codec.Castagnoli)
	size, err = io.Copy(h, f)
	return size, h.Sum32(), errors.Join(err, f.Close())
}

// seal syncs every file below dir, and the manifest with their checksums last.
// Linked files keep their entries.
func (m *manifest) seal(dir string, linked map[string]file) error {
	m.Files = nil
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if f, ok := linked[filepath.ToSlash(name)]; ok {
			m.Files = append(m.Files, f)
			return nil
		}
		size, sum, err := checksum(path)
		if err != nil {
			return err
		}
		m.Files = append(m.Files, file{Name: filepath.ToSlash(name), Size: size, CRC: sum})
		return disk.Sync(path)
	})
	if err != nil {
		return fmt.Errorf("sealing the index: %w", err)
	}
	data, err := m.encode()
	if err != nil {
		return err
	}
	if err := codec.Write(dir, manifestFile, data); err != nil {
		return err
	}
	for _, path := range []string{filepath.Join(dir, manifestFile), dir, filepath.Dir(dir)} {
		if err := disk.Sync(path); err != nil {
			return fmt.Errorf("sealing the index: %w", err)
		}
	}
	return nil
}
