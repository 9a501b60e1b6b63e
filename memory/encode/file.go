package encode

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// magic begins a file of weights. The four-byte length of a JSON description follows, then the
// description and the sections in the order of Parse, each padded to 64 bytes. train/convert.py
// writes it.
const magic = "assay encoder 1\n"

const (
	group     = 32 // numbers of the table of words that share a scale
	mostWidth = 1 << 13
	mostWords = 1 << 20
)

// A description is the header of a file.
type description struct {
	Name      string `json:"name"`
	Licence   string `json:"licence"`
	Layers    int    `json:"layers"`
	Heads     int    `json:"heads"`
	Width     int    `json:"width"`
	Inner     int    `json:"inner"`
	Positions int    `json:"positions"`
	Words     int    `json:"words"`
	WordBytes int    `json:"word_bytes"`

	Pooling  string `json:"pooling"`  // what stands for a text: "" for the mean of its pieces, firstPiece for the first one
	Question string `json:"question"` // prefix of questions
	Passage  string `json:"passage"`  // and before a passage
}

const firstPiece = "first"

func (d *description) check() error {
	switch {
	case d.Layers < 1 || d.Layers > 100, d.Width < 1 || d.Width > mostWidth, d.Inner < 1 || d.Inner > 4*mostWidth,
		d.Positions < 3 || d.Positions > mostWidth, d.Words < 4 || d.Words > mostWords, d.WordBytes < d.Words || d.WordBytes > 100*d.Words:
		return errors.New("its sizes are not plausible")
	case d.Heads < 1 || d.Width%d.Heads != 0 || d.Width/d.Heads%tileColumns != 0:
		return fmt.Errorf("%d heads of %d numbers are not possible here: a head has a multiple of %d", d.Heads, d.Width, tileColumns)
	case d.Pooling != "" && d.Pooling != firstPiece:
		return fmt.Errorf("what stands for a text is %q, which is not known here", d.Pooling)
	case d.Width%group != 0 || d.Inner%group != 0:
		return fmt.Errorf("widths must be multiples of %d", group)
	}
	return nil
}

// A linear is a layer's matrix, rounded: row j of it is scale[j] times whole numbers of -63 to 63.
type linear struct {
	in, out int
	// Blocks of 16 rows; within each, four columns of every row are adjacent.
	weights []int8
	scale   []float32
	sum     []float32 // of a row's weights
	bias    []float32
}

type layerNorm struct{ weight, bias []float32 }

type layer struct {
	own    linear // query, key and value, one below the other
	mix    linear // applied to the output of attention
	mixed  layerNorm
	inner  linear
	outer  linear
	output layerNorm
}

// A reader takes sections from the start of a file, without copying the numbers.
type reader struct {
	data []byte
	err  error
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil || n > len(r.data) {
		r.err = errors.New("it ends too early")
		return nil
	}
	out := r.data[:n:n]
	r.data = r.data[min(len(r.data), (n+63)/64*64):]
	return out
}

func (r *reader) floats(n int) []float32 {
	b := r.bytes(4 * n)
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func (r *reader) linear(out, in int) linear {
	l := linear{in: in, out: out}
	if b := r.bytes(out * in); len(b) > 0 {
		l.weights = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
	}
	l.scale, l.sum, l.bias = r.floats(out), r.floats(out), r.floats(out)
	return l
}

func (r *reader) norm(n int) layerNorm { return layerNorm{r.floats(n), r.floats(n)} }

// Parse reads weights written by train/convert.py. The model refers to data, which must not change.
func Parse(data []byte) (*Model, error) {
	m, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading the encoder's weights: %w", err)
	}
	return m, nil
}

func parse(data []byte) (*Model, error) {
	at := len(magic) + 4
	if len(data) < at || string(data[:len(magic)]) != magic {
		return nil, errors.New("not a file of weights of this version")
	}
	size := int(binary.LittleEndian.Uint32(data[len(magic):]))
	r := &reader{data: data}
	head := r.bytes(at + min(size, len(data)))
	if r.err != nil {
		return nil, r.err
	}
	var d description
	if err := json.Unmarshal(head[at:], &d); err != nil {
		return nil, fmt.Errorf("its description: %w", err)
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	m := &Model{description: d}
	words := strings.Split(string(r.bytes(d.WordBytes)), "\n")
	m.table = r.bytes(d.Words * d.Width / 2)
	m.tableScale = r.bytes(d.Words * d.Width / group * 2)
	m.positions = r.bytes(d.Positions * d.Width * 2)
	m.kinds = r.floats(2 * d.Width)
	m.first = r.norm(d.Width)
	for range d.Layers {
		m.layers = append(m.layers, layer{
			own: r.linear(3*d.Width, d.Width), mix: r.linear(d.Width, d.Width),
			inner: r.linear(d.Inner, d.Width), outer: r.linear(d.Width, d.Inner),
			mixed: r.norm(d.Width), output: r.norm(d.Width),
		})
	}
	if r.err != nil {
		return nil, r.err
	}
	if len(words) != d.Words {
		return nil, fmt.Errorf("it has %d words and says %d", len(words), d.Words)
	}
	var err error
	m.pieces, err = newPieces(words)
	return m, err
}

// half returns the float32 of a 16-bit float.
func half(b []byte) float32 {
	h := uint32(binary.LittleEndian.Uint16(b))
	sign, exponent, fraction := h>>15<<31, h>>10&31, h&1023
	if exponent == 0 {
		f := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(f) | sign)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// embedding sums the vectors of a word piece, its position and its type.
func (m *Model) embedding(out []float32, id int32, position, kind int) {
	w := m.Width
	row, scales := m.table[int(id)*w/2:], m.tableScale[int(id)*(w/group)*2:]
	places, kinds := m.positions[position*w*2:], m.kinds[kind*w:]
	for i := range out {
		v := int(row[i/2]>>(4*(i&1))&15) - 8
		out[i] = float32(float32(v)*half(scales[i/group*2:])) + half(places[2*i:])
		out[i] += kinds[i]
	}
}
