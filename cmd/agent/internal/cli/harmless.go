package cli

import (
	"bytes"
	"regexp"
	"sync"
)

// own matches the escape sequences that the program itself writes to a terminal: colours, clearing
// the line, marked pastes, links.
var own = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\x1b(?:\\[[0-9;]*[mK]|\\[\\?2004[hl]|\\]8;;[^\x00-\x1f\x7f]*\x1b\\\\)")
})

// harmless replaces control characters, of seven and of eight bits, by U+FFFD. Ends of lines and
// tabs stay, and on a terminal the return of a line and the program's own sequences.
func harmless(p []byte, terminal bool) []byte {
	clean := true
	for i, c := range p {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c == 0xc2 && i+1 < len(p) && p[i+1] < 0xa0 {
			clean = false
			break
		}
	}
	if clean {
		return p
	}
	var out bytes.Buffer
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\n' || c == '\t' || c == '\r' && (terminal || i+1 < len(p) && p[i+1] == '\n'):
			if c != '\r' || terminal {
				out.WriteByte(c)
			}
		case c == '\x1b' && terminal:
			if seq := own().Find(p[i:]); seq != nil {
				out.Write(seq)
				i += len(seq) - 1
				continue
			}
			out.WriteString("\ufffd")
		case c < ' ' || c == 0x7f:
			out.WriteString("\ufffd")
		case c == 0xc2 && i+1 < len(p) && p[i+1] < 0xa0 && p[i+1] >= 0x80:
			out.WriteString("\ufffd")
			i++
		default:
			out.WriteByte(c)
		}
	}
	return out.Bytes()
}

// escaped writes the control characters of JSON that its encoder leaves alone, DEL and those of
// eight bits, as escapes: the value stays the same.
func escaped(doc []byte) []byte {
	const hex = "0123456789abcdef"
	var out []byte
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case c == 0x7f:
			out = append(out, `\u007f`...)
		case c == 0xc2 && i+1 < len(doc) && doc[i+1] >= 0x80 && doc[i+1] < 0xa0:
			i++
			out = append(out, '\\', 'u', '0', '0', hex[doc[i]>>4], hex[doc[i]&15])
		default:
			out = append(out, c)
		}
	}
	return out
}
