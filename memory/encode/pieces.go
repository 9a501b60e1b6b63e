package encode

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const longestWord = 100 // runes; a longer one is one unknown piece

// pieces cuts text into the word pieces of BERT: lower case, without accents, the longest piece
// that is known first.
type pieces struct {
	ids                 map[string]int32
	longest             int // bytes of a piece
	unknown, begin, end int32
}

func newPieces(words []string) (*pieces, error) {
	p := &pieces{ids: make(map[string]int32, len(words))}
	for i, w := range words {
		p.ids[w] = int32(i)
		p.longest = max(p.longest, len(w))
	}
	for word, id := range map[string]*int32{"[UNK]": &p.unknown, "[CLS]": &p.begin, "[SEP]": &p.end} {
		var ok bool
		if *id, ok = p.ids[word]; !ok {
			return nil, errors.New("its words have no " + word)
		}
	}
	return p, nil
}

// of appends the pieces of a text to out until it has most of them.
func (p *pieces) of(out []int32, text string, most int) []int32 {
	// What follows a piece of text does not change it, and no rune gives less than nothing.
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = p.cut(out, word)
			word = word[:0]
		}
	}
	for len(text) > 0 && len(out) < most {
		// In parts, so that the cost of a long text depends on the pieces read.
		stretch := text[:cutAt(text, 4096)]
		text = text[len(stretch):]
		for _, r := range norm.NFD.String(strings.ToLower(stretch)) {
			switch {
			case unicode.IsSpace(r):
				flush()
			case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.C, r) || r == utf8.RuneError:
			case alone(r):
				flush()
				out = p.cut(out, []rune{r})
			default:
				word = append(word, r)
			}
			if len(out) >= most {
				break
			}
		}
	}
	flush()
	return out[:min(len(out), max(most, 0))]
}

// cutAt returns where to cut a text into at most n bytes: after a space, if there is one.
func cutAt(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	if i := strings.LastIndexAny(text[:n], " \n\t"); i > 0 {
		return i + 1
	}
	for n > 1 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// alone reports whether a rune is a separate word: punctuation, or a Chinese character.
func alone(r rune) bool {
	if r < 0x80 {
		return r > ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r) || r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF ||
		r >= 0x20000 && r <= 0x2FA1F || r >= 0xF900 && r <= 0xFAFF
}

func (p *pieces) cut(out []int32, word []rune) []int32 {
	if len(word) > longestWord {
		return append(out, p.unknown)
	}
	rest, from := string(word), len(out)
	key := make([]byte, 0, 64)
	for at := 0; at < len(rest); {
		key = key[:0]
		if at > 0 {
			key = append(key, '#', '#')
		}
		head := len(key)
		key = append(key, rest[at:min(len(rest), at+p.longest)]...)
		for len(key) > head {
			if id, ok := p.ids[string(key)]; ok {
				out = append(out, id)
				break
			}
			_, n := utf8.DecodeLastRune(key)
			key = key[:len(key)-n]
		}
		if len(key) == head {
			return append(out[:from], p.unknown)
		}
		at += len(key) - head
	}
	return out
}
