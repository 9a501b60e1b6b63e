package document

import (
	"context"
	"strconv"
	"strings"

	"example.com/assay/memory/text"
)

// rtfSkipped are RTF groups without text of the document.
var rtfSkipped = text.Set(`fonttbl colortbl stylesheet info pict object header footer headerl headerr footerl footerr listtable listoverridetable generator themedata
	datastore fldinst xmlnstbl latentstyles rsidtbl`)

// rtfText are the control words that are written as text.
var rtfText = map[string]string{"par": "\n\n", "sect": "\n\n", "page": "\n\n", "line": "\n", "row": "\n", "cell": "\t", "tab": "\t",
	"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•", "~": "\u00a0", "_": "-", "{": "{", "}": "}", "\\": "\\", "\n": "\n\n", "\r": "\n\n"}

// An rtfState is the state of an RTF group, restored at its end.
type rtfState struct {
	skipped bool
	unicode int // fallback characters after a \u for readers that do not know it
}

// parseRTF reads the text of an RTF file: paragraphs, cells of tables between tabs.
func parseRTF(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	w := &watch{ended: ctx.Err}
	var out strings.Builder
	var codes []byte // characters of the file's code page that are not written yet
	page := "windows-1252"
	state, outer := rtfState{unicode: 1}, []rtfState{}
	pending := 0 // characters to leave out
	flush := func() {
		if s, err := decode(ctx, codes, page); err == nil {
			out.Write(s)
		}
		codes = codes[:0]
	}
	write := func(s string) {
		flush()
		if pending > 0 {
			pending--
		} else if !state.skipped {
			out.WriteString(s)
		}
	}
	for i := 0; i < len(raw); {
		w.step()
		switch c := raw[i]; c {
		case '{':
			outer = append(outer, state)
			i++
		case '}':
			if n := len(outer); n > 0 {
				state, outer = outer[n-1], outer[:n-1]
			}
			i++
		case '\r', '\n':
			i++
		case '\\':
			word, number, has, size := rtfControl(raw[i+1:])
			i += 1 + size
			switch {
			case word == "'" && has:
				if pending > 0 {
					pending--
				} else if !state.skipped {
					codes = append(codes, byte(number))
				}
			case word == "*" || rtfSkipped[word]:
				state.skipped = true
			case word == "ansicpg" && number > 0:
				page = "windows-" + strconv.Itoa(number)
			case word == "mac":
				page = "macintosh"
			case word == "uc":
				state.unicode = max(0, min(number, 8))
			case word == "u" && has:
				pending = 0
				write(string(rune(uint16(number))))
				pending = state.unicode
			case word == "bin" && number > 0:
				i = min(len(raw), i+number)
			case rtfText[word] != "":
				write(rtfText[word])
			}
		default:
			if pending > 0 {
				pending--
			} else if !state.skipped {
				codes = append(codes, c)
			}
			i++
		}
	}
	flush()
	d.Text = wellFormed(out.String())
	d.Blocks = paragraphs(w, d.Text, 0, len(d.Text), Block{})
	return nil
}

// rtfControl parses a control word after its backslash, with its number and its length.
func rtfControl(s []byte) (word string, number int, has bool, size int) {
	if len(s) == 0 {
		return "", 0, false, 0
	}
	if s[0] == '\'' && len(s) > 2 {
		n, err := strconv.ParseUint(string(s[1:3]), 16, 8)
		return "'", int(n), err == nil, 3
	}
	n := 0
	for n < len(s) && n < 32 && (s[n]|0x20) >= 'a' && (s[n]|0x20) <= 'z' {
		n++
	}
	if n == 0 {
		return string(s[:1]), 0, false, 1
	}
	word = string(s[:n])
	from := n
	if n < len(s) && s[n] == '-' {
		n++
	}
	for n < len(s) && n-from < 10 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	number, err := strconv.Atoi(string(s[from:n]))
	if n < len(s) && s[n] == ' ' {
		n++
	}
	return word, number, err == nil, n
}
