package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A file is a file in an archive.
type file struct {
	name string // with slashes
	data []byte
	mode fs.FileMode
}

// sorted returns the files in the order of archives, below a folder.
func sorted(folder string, files []file) []file {
	out := slices.Clone(files)
	for i := range out {
		out[i].name = folder + "/" + out[i].name
	}
	slices.SortFunc(out, func(x, y file) int { return strings.Compare(x.name, y.name) })
	return out
}

// tarball packs sorted files as .tar.gz, all owned by root and with the same time.
func tarball(files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	err := compress(&packed, func(w io.Writer) error {
		t := tar.NewWriter(w)
		for _, f := range files {
			header := &tar.Header{Name: f.name, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
			if err := t.WriteHeader(header); err != nil {
				return fmt.Errorf("packing %s: %w", f.name, err)
			}
			if _, err := t.Write(f.data); err != nil {
				return fmt.Errorf("packing %s: %w", f.name, err)
			}
		}
		return t.Close()
	})
	return packed.Bytes(), err
}

// zipped packs sorted files as .zip, all with the same time.
func zipped(files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		w, err := z.CreateHeader(header)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.name, err)
		}
	}
	err := z.Close()
	return packed.Bytes(), err
}

// compress writes a gzip stream without a name and a time.
func compress(to io.Writer, write func(io.Writer) error) error {
	z, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}

// gz compresses data.
func gz(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	err := compress(&packed, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return packed.Bytes(), err
}
