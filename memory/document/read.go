package document

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// unzipped returns the name and the bytes of the content of a .gz file; any other file unchanged.
func unzipped(ctx context.Context, path string, raw []byte, limit int64) (string, []byte, error) {
	if !strings.EqualFold(filepath.Ext(path), ".gz") {
		return path, raw, nil
	}
	inner := path[:len(path)-len(".gz")]
	if slices.Contains([]string{".docx", ".odt", ".pptx", ".xlsx", ".epub", ".gz"}, strings.ToLower(filepath.Ext(inner))) {
		return "", nil, &InputError{Path: path, Msg: "what is in it is compressed again", Hint: "decompress it first"}
	}
	raw, err := gunzip(ctx, path, raw, limit)
	return inner, raw, err
}

// detect determines the format by the content if the name does not, or if the first bytes are
// unambiguous.
func detect(path string, raw []byte) (kind, error) {
	k, known := kindOf(path)
	isPDF := bytes.HasPrefix(raw, []byte("%PDF-"))
	text := !known || k.format == "txt"
	switch {
	case isPDF:
		return kind{format: "pdf"}, nil
	case k.format == "pdf":
		return kind{}, &InputError{Path: path, Msg: "it is named .pdf but does not begin with %PDF-", Hint: "give it the extension of its format"}
	case (text || k.format == "rtf") && bytes.HasPrefix(raw, []byte(`{\rtf`)):
		return kind{format: "rtf"}, nil
	case (text || k.format == "cards") && isCards(raw):
		return kind{format: "cards"}, nil
	case (text || k.format == "subtitles") && looksLikeSubtitles(raw):
		return kind{format: "subtitles"}, nil
	case k.format == "rtf" || k.format == "cards" || k.format == "subtitles":
		return kind{format: "txt"}, nil
	case text && looksLikeTeX(raw):
		return kind{format: "tex"}, nil
	case text && looksHTML(raw):
		return kind{format: "html"}, nil
	case text && looksLikeXML(raw):
		return kind{format: "xml"}, nil
	case text && looksLikeTroff(raw):
		return kind{format: "man"}, nil
	case known:
		return k, nil
	case looksLikeMail(raw):
		return kind{format: "eml"}, nil
	}
	if what := binaryKind(raw[:min(len(raw), sniffed)]); what != "" {
		return kind{}, unsupported(path, what)
	}
	return kind{format: "txt"}, nil
}

func unsupported(path, what string) error {
	return &InputError{Path: path, Msg: "this kind of file is not supported: it is " + what, Hint: "supported are " + strings.Join(Extensions(), " ") + " and text of any other name"}
}

// sniffed is the number of bytes by which a file is recognised as text.
const sniffed = 8 << 10

// magics are the first bytes of file formats without text to read.
var magics = []struct{ start, what string }{
	{"\x7fELF", "a program"}, {"MZ", "a program"}, {"\xca\xfe\xba\xbe", "a program"}, {"\xcf\xfa\xed\xfe", "a program"}, {"\x00asm", "a program"},
	{"\x89PNG", "a picture"}, {"\xff\xd8\xff", "a picture"}, {"GIF8", "a picture"}, {"II*\x00", "a picture"}, {"MM\x00*", "a picture"},
	{"PK", "a ZIP archive"}, {"\x1f\x8b", "a compressed file"}, {"BZh", "a compressed file"}, {"\xfd7zXZ", "a compressed file"}, {"7z\xbc\xaf", "an archive"}, {"\x28\xb5\x2f\xfd", "a compressed file"}, {"!<arch>\n", "an archive"},
	{"%!PS", "PostScript: convert it with ps2pdf"}, {"\x04%!PS", "PostScript: convert it with ps2pdf"}, {"SQLite format 3", "a database"}, {"\xd0\xcf\x11\xe0", "a document of an old Office program: save it in the new format"},
	{"ID3", "a sound"}, {"OggS", "a sound or film"}, {"RIFF", "a sound, film or picture"}, {"fLaC", "a sound"},
}

// binaryKind names a file's format by its first bytes; "" for text.
func binaryKind(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.start)) && (len(m.start) > 3 || m.start == "PK" || len(head) < 4 || !printable(head)) {
			return m.what
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		return ""
	case !printable(head):
		return "binary"
	case packedCode(head):
		return "code or data that a program packed into long lines"
	}
	return ""
}

// packedCode reports minified code: lines of a thousand bytes and more, a seventh of them code
// punctuation.
func packedCode(head []byte) bool {
	const longLine, ofSigns = 1000, 7
	if len(head) < 2*longLine || (bytes.Count(head, []byte("\n"))+1)*longLine > len(head) {
		return false
	}
	signs := 0
	for _, c := range head {
		if bytes.IndexByte([]byte(`{}()[];:,="'`), c) >= 0 {
			signs++
		}
	}
	return ofSigns*signs > len(head)
}

// printable reports bytes without zeros and with few other controls.
func printable(head []byte) bool {
	controls := 0
	for _, c := range head {
		if c == 0 {
			return false
		}
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1b {
			controls++
		}
	}
	return 20*controls <= len(head)
}

// headed detects binary files by their first bytes, after decompression. It is used only for names
// without a known extension.
func headed(path string, f io.ReadSeeker) error {
	name, packed := strings.CutSuffix(strings.ToLower(path), ".gz")
	if _, known := kindOf(name); known {
		return nil
	}
	in := io.Reader(f)
	if packed {
		if zr, err := gzip.NewReader(f); err == nil { // a fault is said when it is read
			in = zr
		}
	}
	head := make([]byte, sniffed)
	n, _ := io.ReadFull(in, head) // a fault is found again when the file is read
	if what := binaryKind(head[:n]); what != "" && !(packed && n == 0) {
		if packed && what == "a compressed file" {
			return nil
		}
		return unsupported(path, what)
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// looksLikeMail reports whether a file begins with mail headers.
func looksLikeMail(raw []byte) bool {
	head := raw[:min(len(raw), sniffed)]
	if end := bytes.Index(head, []byte("\n\n")); end >= 0 {
		head = head[:end+1]
	} else if end := bytes.Index(head, []byte("\r\n\r\n")); end >= 0 {
		head = head[:end+2]
	}
	found := 0
	for line := range bytes.Lines(head) {
		name, _, ok := bytes.Cut(line, []byte(":"))
		if !ok && line[0] != ' ' && line[0] != '\t' || bytes.IndexByte(name, ' ') > 0 {
			return false
		}
		switch strings.ToLower(string(name)) {
		case "message-id", "mime-version", "received", "return-path":
			found++
		}
	}
	return found > 0
}

func looksHTML(raw []byte) bool {
	head := raw[:min(len(raw), 512)]
	head = bytes.TrimPrefix(head, []byte(bom))
	head = bytes.ToLower(bytes.TrimSpace(head))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// copyFile copies a regular file of at most limit bytes to out.
func copyFile(ctx context.Context, out io.Writer, path string, limit int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return &InputError{Path: path, Msg: "it is not a regular file", Hint: "name a file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return unreadable(path, err)
	}
	defer func() { _ = f.Close() }() // only read from
	if err := headed(path, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	if g, ok := out.(interface{ Grow(int) }); ok { // a buffer that grows step by step takes three times as much
		g.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	}
	err = guard(path, func() error { return copyAll(ctx, out, f, limit) })
	if errors.Is(err, errTooLong) {
		return &InputError{Path: path, Msg: fmt.Sprintf("the file is longer than %d bytes", limit), Hint: "split it"}
	}
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	return nil
}

func unreadable(path string, err error) error {
	msg := err.Error()
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		msg = pe.Err.Error()
	}
	hint := "check the path"
	if errors.Is(err, os.ErrPermission) {
		hint = "allow reading it, e.g. chmod u+r"
	}
	// Both chains: callers ask for the InputError and for os.ErrNotExist.
	return fmt.Errorf("%w (%w)", &InputError{Path: path, Msg: "it cannot be read: " + msg, Hint: hint}, err)
}

var errTooLong = errors.New("too long")

// readAll reads r to its end, or fails with errTooLong after limit bytes.
func readAll(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	err := copyAll(ctx, &buf, r, limit)
	return buf.Bytes(), err
}

// copyAll copies r to its end, or fails with errTooLong after limit bytes.
func copyAll(ctx context.Context, out io.Writer, r io.Reader, limit int64) error {
	n, err := io.Copy(struct{ io.Writer }{out}, io.LimitReader(stoppable(ctx, r), limit+1))
	if err == nil && n > limit {
		return errTooLong
	}
	return err
}

func gunzip(ctx context.Context, path string, raw []byte, limit int64) ([]byte, error) {
	limit = unpacked(len(raw), limit)
	var out bytes.Buffer
	zr, err := gzip.NewReader(bytes.NewReader(raw))
	if err == nil {
		size := binary.LittleEndian.Uint32(raw[len(raw)-4:]) // the declared size: a growing buffer would take twice as much
		out.Grow(int(min(int64(size), limit)) + bytes.MinRead)
		err = copyAll(ctx, &out, zr, limit)
	}
	switch {
	case err == nil && out.Len() == 0:
		return nil, &InputError{Path: path, Msg: "the compressed file is empty", Hint: "remove it or give it text"}
	case err == nil:
		return out.Bytes(), nil
	case errors.Is(err, errTooLong):
		return nil, unpacksTooFar(path, limit)
	}
	return nil, &InputError{Path: path, Msg: "it is not a whole gzip file: " + err.Error(), Hint: "compress it again"}
}

// bom is the UTF-8 byte order mark that some editors put first.
const bom = "\xef\xbb\xbf"

// checkText returns an error for text that is not UTF-8, with the first bad byte.
func checkText(path string, raw []byte) error {
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		return &InputError{Path: path, Line: lineOf(raw, i), Msg: fmt.Sprintf("it is a binary file: a zero byte at offset %d", i), Hint: "name a text file"}
	}
	if i := invalidUTF8(raw); i >= 0 {
		return &InputError{Path: path, Line: lineOf(raw, i),
			Msg:  fmt.Sprintf("byte 0x%02X at offset %d is not UTF-8", raw[i], i),
			Hint: "convert it, e.g. iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE"}
	}
	return nil
}

// checkLines returns an error if a line is longer than limit bytes: such a file is not written by a
// person and costs more time and memory than the same bytes in many lines. Records have the same
// limit and are skipped one by one; JSON is exempt because programs write it on one line.
func checkLines(path string, raw []byte, limit int) error {
	for start, line := 0, 1; len(raw)-start > limit; line++ {
		length := bytes.IndexByte(raw[start:], '\n')
		if length < 0 {
			length = len(raw) - start
		}
		if length > limit {
			return &InputError{Path: path, Line: line, Msg: fmt.Sprintf("the line is %d bytes long, the limit is %d", length, limit), Hint: "split it"}
		}
		start += length + 1
	}
	return nil
}

// invalidUTF8 returns the offset of the first byte that is not part of valid
// UTF-8, or -1.
func invalidUTF8(raw []byte) int {
	if utf8.Valid(raw) {
		return -1
	}
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineOf returns the 1-based line of the byte at offset.
func lineOf(raw []byte, offset int) int { return 1 + bytes.Count(raw[:offset], []byte("\n")) }
