// Package pdfjs has PDF.js, the library that draws the pages of a PDF in a browser. It is Mozilla's,
// unchanged; pack.sh packs it. The licences are in this folder.
package pdfjs

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/binary"
	"io"
	"io/fs"
	"sync"
)

//go:embed pdfjs.zip
var packed []byte

var archive = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
})

// gzipHead begins a gzip file that names nothing: deflated, no flags, no time, of an unknown system.
var gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}

// File returns a file of the library. With zipped it is compressed by gzip.
func File(name string, zipped bool) ([]byte, error) {
	files, err := archive()
	if err != nil {
		return nil, err
	}
	for _, f := range files.File {
		if f.Name != name {
			continue
		}
		if !zipped {
			return fs.ReadFile(files, name)
		}
		raw, err := f.OpenRaw() // deflated, as gzip has it between its head and its sum
		if err != nil {
			return nil, err
		}
		out := bytes.NewBuffer(bytes.Clone(gzipHead))
		if _, err := io.Copy(out, raw); err != nil {
			return nil, err
		}
		end := binary.LittleEndian.AppendUint32(nil, f.CRC32)
		return append(out.Bytes(), binary.LittleEndian.AppendUint32(end, uint32(f.UncompressedSize64))...), nil
	}
	return nil, fs.ErrNotExist
}
