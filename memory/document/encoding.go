package document

import (
	"bytes"
	"context"
	"io"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// westernShare is how much of a text in Windows-1252 its accented letters are at
// most, of all letters. Where there are more, the text is of another script, and
// which one its bytes do not say.
const westernShare = .3

// inUTF8 returns a text in UTF-8 and its former encoding, empty for UTF-8. A byte order
// mark tells UTF-16. Other bytes that are not UTF-8 count as Windows-1252, which has
// ISO 8859-1 in it, where they make words in it. Anything else is returned unchanged:
// most of a file may be good.
func inUTF8(ctx context.Context, path string, raw []byte) ([]byte, string, error) {
	encoding := ""
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		encoding = "utf-16le"
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		encoding = "utf-16be"
	case isWestern(raw):
		encoding = "windows-1252"
	default:
		return raw, "", nil
	}
	out, err := decode(ctx, raw, encoding)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil || bytes.ContainsRune(out, utf8.RuneError) {
		return nil, "", &InputError{Path: path, Msg: "it is not whole text in " + encoding + ", as it seems to be", Hint: "save it as UTF-8"}
	}
	return bytes.TrimPrefix(out, []byte(bom)), encoding, nil
}

// decode reads text of an encoding by its name on the web.
func decode(ctx context.Context, raw []byte, encoding string) ([]byte, error) {
	r, err := charset.NewReaderLabel(encoding, stoppable(ctx, bytes.NewReader(raw)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// isWestern reports bytes that are not UTF-8 and make words of Western letters.
func isWestern(raw []byte) bool {
	if utf8.Valid(raw) {
		return false
	}
	letters, high, wide := 0, 0, 0
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		switch b := raw[i]; {
		case n > 1:
			wide++
		case r != utf8.RuneError:
			if b == 0 {
				return false
			}
			if unicode.IsLetter(r) {
				letters++
			}
		case b == 0x81 || b == 0x8d || b == 0x8f || b == 0x90 || b == 0x9d: // nothing in Windows-1252
			return false
		case b >= 0xc0:
			letters++
			high++
		}
		i += n
	}
	// Characters of several bytes that are whole are rare by chance.
	return wide <= high/4 && float64(high) <= westernShare*float64(letters)
}
