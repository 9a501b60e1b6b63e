// Package hostiletest makes input that programs must survive: files that are deep, long, circular,
// truncated or packed in each other, and text that controls a terminal.
//
//	for _, p := range hostiletest.Files(".json", sample) {
//		err := p.Save(filepath.Join(dir, "input.json"))
//	}
//
// Code makes all files from short descriptions, and equal calls make equal bytes. The package runs
// and judges nothing. It has no input for pages: internal/browsertest has that.
package hostiletest

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"unicode/utf8"

	"example.com/assay/internal/browsertest"
)

// A Payload is one hostile file.
type Payload struct {
	Name  string
	Write func(w io.Writer) error // in pieces: a long file is never in memory as a whole
}

// Save writes the file.
func (p Payload) Save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	return errors.Join(p.Write(w), w.Flush(), f.Close())
}

// Text is a payload of these bytes.
func Text(name, content string) Payload { return Bytes(name, []byte(content)) }

// Bytes is a payload of these bytes.
func Bytes(name string, content []byte) Payload {
	return Payload{name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}}
}

// Repeat is a payload that begins with head, has a unit n times, and ends with tail. A "%d" in
// the unit is its number.
func Repeat(name, head, unit string, n int, tail string) Payload {
	return Payload{name, func(w io.Writer) error {
		if _, err := io.WriteString(w, head); err != nil {
			return err
		}
		numbered := strings.Contains(unit, "%d")
		for i := range n {
			s := unit
			if numbered {
				s = strings.ReplaceAll(unit, "%d", fmt.Sprint(i))
			}
			if _, err := io.WriteString(w, s); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, tail)
		return err
	}}
}

// Nest is a payload of n openings, a core, and n ends.
func Nest(name, head, opening string, n int, core, end, tail string) Payload {
	return Repeat(name, head, opening, n, core+strings.Repeat(end, n)+tail)
}

// Line is one line of about size bytes.
func Line(name string, size int) Payload {
	return Repeat(name, "The notice is ", "thirty days and ", size/16, "more.")
}

// Gzipped packs a payload.
func Gzipped(p Payload) Payload {
	return Payload{p.Name + " in gzip", func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(p.Write(z), z.Close())
	}}
}

// Zipped is a ZIP file. Each part is a file in it with the payload's name.
func Zipped(name string, parts ...Payload) Payload {
	return Payload{name, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, part := range parts {
			f, err := z.Create(part.Name)
			if err == nil {
				err = part.Write(f)
			}
			if err != nil {
				return err
			}
		}
		return z.Close()
	}}
}

// Commands returns texts that control a terminal or mislead a reader: escape sequences of seven and
// of eight bits, other controls, marks that change the direction, and invisible characters. It
// includes the texts of internal/browsertest that no browser runs.
func Commands() []string {
	out := []string{
		"\x1b[31mred", "\x1b]52;c;cm0gLXJm\x07", "\x1b[6n", "\x1bP+q544e\x1b\\", "\u009b2J", "\u009d0;title\u009c", "\x08\x08\x08over", "line\rover",
		"bell\x07", "\x0e shifted \x0f", "\x7f\x7f", "turned \u202e txet", "\u2066open", "zero\u200bwidth\u2060joined\ufeff", "tag\U000e0041", "\x00nul",
	}
	for _, h := range browsertest.HostileTexts() {
		if h.Place == browsertest.Nowhere && (!utf8.ValidString(h.Text) || strings.ContainsAny(h.Text, "\x1b\x00\x08\u009b\u202e\u2067\u200b\u2028\uffff")) {
			out = append(out, h.Text)
		}
	}
	return out
}

// Mutations breaks a sample in the ways in which any file can be broken.
func Mutations(sample []byte) []Payload {
	half := len(sample) / 2
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	noise := make([]byte, 4096)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(noise) // it always reads all
	wide := []byte("\xff\xfe")
	for _, b := range sample {
		wide = append(wide, b, 0)
	}
	out := []Payload{
		Bytes("nothing", nil),
		Bytes("one NUL", []byte{0}),
		Bytes("only a mark of UTF-8", []byte("\ufeff")),
		Bytes("white space", bytes.Repeat([]byte(" \t\r\n"), 1<<16)),
		Bytes("noise", noise),
		Bytes("sample, half", sample[:half]),
		Bytes("sample, without its last byte", sample[:max(len(sample)-1, 0)]),
		Bytes("sample, twice", join(sample, sample)),
		Bytes("sample, then noise", join(sample, noise)),
		Bytes("sample behind a mark", join([]byte("\ufeff"), sample)),
		Bytes("sample behind two marks", join([]byte("\ufeff\ufeff"), sample)),
		Bytes("sample in UTF-16", wide),
		Bytes("sample with NUL", join(sample[:half], []byte("\x00"), sample[half:])),
		Bytes("sample with bytes that are not UTF-8", join(sample[:half], []byte("\xff\xfe\xed\xa0\x80\xc0\xaf"), sample[half:])),
		Bytes("sample with CR for LF", bytes.ReplaceAll(sample, []byte("\n"), []byte("\r"))),
		Bytes("sample with text as commands", bytes.ReplaceAll(sample, []byte("notice"), []byte("\x1b[31mno\u009b2J\u202etice\x07"))),
	}
	out = append(out, Gzipped(Bytes("sample", sample)), Gzipped(Gzipped(Bytes("sample", sample))))
	for i, c := range Commands() {
		out = append(out, Bytes(fmt.Sprintf("sample with command %d", i), bytes.ReplaceAll(sample, []byte("notice"), []byte(c))))
	}
	return out
}

// Files returns all hostile files for a format, by the extension of its files: those of Own and the
// mutations of the sample. In some mutations the sample's word notice becomes a text that controls a
// terminal; in JSON also in escaped form.
func Files(ext string, sample []byte) []Payload {
	out := append(Own(ext), Mutations(sample)...)
	if ext == ".json" || ext == ".jsonl" {
		for i, c := range Commands() {
			quoted, _ := json.Marshal(c) // a string can be encoded
			out = append(out, Bytes(fmt.Sprintf("sample with command %d as JSON", i), bytes.ReplaceAll(sample, []byte("notice"), quoted[1:len(quoted)-1])))
		}
	}
	return out
}
