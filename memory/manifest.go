package memory

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"example.com/assay/memory/document"
	"example.com/assay/memory/index"
)

// FormatVersion is the version of the corpus directory's layout.
const FormatVersion = 1

// A manifest describes how a generation was made.
type manifest struct {
	Version     int        `json:"version"`  // FormatVersion
	Document    int        `json:"document"` // document.Version
	Settings    settings   `json:"settings"`
	Fingerprint string     `json:"fingerprint"`
	Info        CorpusInfo `json:"info"`
	Files       []file     `json:"files"`             // by source
	Served      *served    `json:"served,omitempty"`  // nil where the index is in files
	Running     []string   `json:"running,omitempty"` // blocks repeated over pages, which are in no passage, as running returns them
	Unread      []Skip     `json:"unread,omitempty"`  // skipped files and links
}

// settings are the options that affect the passages of a file.
type settings struct {
	TextField  string                `json:"text_field,omitempty"`
	TitleField string                `json:"title_field,omitempty"`
	IDField    string                `json:"id_field,omitempty"`
	DocField   string                `json:"doc_field,omitempty"`
	Split      document.SplitOptions `json:"split"`
}

// A file is one document of a corpus.
type file struct {
	Source  string   `json:"source"`
	Path    string   `json:"path"` // absolute
	Root    string   `json:"root"` // the path named when it was ingested
	Format  string   `json:"format"`
	Hash    string   `json:"hash"`             // of the file's bytes
	Reader  string   `json:"reader,omitempty"` // document.Document.Reader
	Text    string   `json:"text,omitempty"`   // name in texts/ of the extracted text; empty when offsets count in the file itself
	Bytes   int      `json:"bytes"`            // of the text
	Edges   []string `json:"edges,omitempty"`  // document.Document.Edges
	Skipped int      `json:"skipped,omitempty"`
	Lost    []string `json:"lost,omitempty"`         // document.Document.Lost
	LostAll int      `json:"lost_records,omitempty"` // and LostRecords
}

func settingsOf(load document.LoadOptions, split document.SplitOptions) settings {
	return settings{
		TextField: load.TextField, TitleField: load.TitleField, IDField: load.IDField, DocField: load.DocField,
		Split: split.Resolved(),
	}
}

// sameMaking reports whether reading a file now gives the same passages as in m.
func (m *manifest) sameMaking(s settings) bool {
	return m.Version == FormatVersion && m.Document == document.Version && m.Settings == s
}

// seal sorts the files and sets the fingerprint, a hash of what determines the passages: sources,
// content, extracted texts and settings; not the files' paths or their order.
func (m *manifest) seal() {
	slices.SortFunc(m.Files, func(a, b file) int { return cmp.Compare(a.Source, b.Source) })
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %q\n", m.Version, m.Document, fmt.Sprintf("%+v", m.Settings))
	for _, f := range m.Files {
		fmt.Fprintf(h, "%q %s %s\n", f.Source, f.Hash, f.Text)
	}
	m.Fingerprint = hex.EncodeToString(h.Sum(nil))
}

// describes returns the description of the corpus from its files and the statistics of its index.
func (m *manifest) describes(stats index.Stats) CorpusInfo {
	info := CorpusInfo{Files: len(m.Files), Passages: stats.Passages, Documents: stats.Documents, Embedder: cmp.Or(stats.Space, stats.Embedder), Space: stats.Space, Cut: stats.Cut}
	for _, f := range m.Files {
		info.Bytes += int64(f.Bytes)
	}
	return info
}

// roots returns the ingested files and directories, sorted.
func (m *manifest) roots() []string {
	var out []string
	for _, f := range m.Files {
		out = append(out, f.Root)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func readManifest(path string) (*manifest, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading manifest: %w", err)
	}
	m := new(manifest)
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("reading manifest %q: %w", path, err)
	}
	if m.Version > FormatVersion {
		return nil, fmt.Errorf("reading manifest %q: it has format %d, this program reads up to %d", path, m.Version, FormatVersion)
	}
	return m, nil
}

// checkFields returns an error for a manifest with an unknown field.
func checkFields(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(new(manifest))
}

func (m *manifest) encode() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encoding manifest: %w", err)
	}
	return append(data, '\n'), nil
}
