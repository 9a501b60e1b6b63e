package encode

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

type reference struct {
	Text   string    `json:"text"`
	Pieces []int32   `json:"pieces"`
	Vector []float32 `json:"vector"`
}

func references(t testing.TB) (out []reference) {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func builtin(t testing.TB) *Model {
	t.Helper()
	m, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// The vectors are those of the model before anything was rounded, nearly.
func TestReference(t *testing.T) {
	m := builtin(t)
	for _, r := range references(t) {
		if got := m.pieces.of(nil, r.Text, 1000); !slices.Equal(got, r.Pieces) {
			t.Errorf("%.40q: pieces %v, want %v", r.Text, got, r.Pieces)
		}
		v, err := m.Embed(t.Context(), []string{r.Text})
		if err != nil {
			t.Fatal(err)
		}
		if c := dot(v[0], r.Vector); c < .99 && r.Text != "" {
			t.Errorf("%.40q: cosine %.4f", r.Text, c)
		} else {
			t.Logf("%.40q: cosine %.4f", r.Text, c)
		}
	}
}

// Each kernel gives the bits of its twin in Go, whatever the length.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	floats := func(n int, size float64) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(r.NormFloat64() * size)
		}
		return out
	}
	same := func(what string, n int, got, want []float32) {
		t.Helper()
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s of %d: number %d is %v, in Go %v", what, n, i, got[i], want[i])
			}
		}
	}
	for _, n := range []int{1, 7, 8, 9, 31, 32, 100, 384} {
		for _, size := range []float64{1e-3, 1, 30} {
			x, y, z := floats(n, size), floats(n, size), floats(n, 1)
			a, b := slices.Clone(x), slices.Clone(x)
			gelu(a)
			geluGo(b)
			same("gelu", n, a, b)
			a, b = slices.Clone(x), slices.Clone(x)
			low, high := rangeOf(x)
			wantLow, wantHigh := rangeOfGo(x)
			same("range", n, []float32{low, high}, []float32{wantLow, wantHigh})
			s, u := expLess(a, high), expLessGo(b, high)
			same("exp", n, a, b)
			same("exp", n, s[:], u[:])
			a, b = slices.Clone(x), slices.Clone(x)
			s, u = added(a, y), addedGo(b, y)
			same("added", n, a, b)
			same("added", n, s[:], u[:])
			s, u = centred(a, .5), centredGo(b, .5)
			same("centred", n, a, b)
			same("centred", n, s[:], u[:])
			weighed(a, y, z, .7)
			weighedGo(b, y, z, .7)
			same("weighed", n, a, b)
			by := 255 / max(high-low, 1e-9)
			p, q := make([]uint8, n), make([]uint8, n)
			rounded(p, x, low, by)
			roundedGo(q, x, low, by)
			if !bytes.Equal(p, q) {
				t.Fatalf("rounded: %v, in Go %v", p, q)
			}
			acc := make([]int32, n)
			for i := range acc {
				acc[i] = r.Int32N(1 << 24)
			}
			scaled(a, acc, x, y, z, .01, -3)
			scaledGo(b, acc, x, y, z, .01, -3)
			same("scaled", n, a, b)
		}
	}
	for _, k := range []int{4, 12, 384} {
		a, w := make([]uint8, tileRows*k), make([]int8, 2*tileColumns*k)
		for i := range a {
			a[i] = uint8(255 - r.IntN(3)*r.IntN(128)) // most of them where sums of 16 bits would overflow
		}
		for i := range w {
			w[i] = int8(63 - r.IntN(2)*126)
		}
		const n = 40
		for _, tiles := range []int{1, 2} {
			p, q := make([]int32, tileRows*n), make([]int32, tileRows*n)
			bytesTile(p, n, a, w[:tiles*tileColumns*k], k)
			for i := range tiles {
				bytesTileGo(q[i*tileColumns:], n, a, w[i*tileColumns*k:], k)
			}
			if !slices.Equal(p, q) {
				t.Fatalf("%d tiles of products of %d bytes differ", tiles, k)
			}
		}
		x, y := floats(tileRows*k, 1), floats(tileColumns*k, 1)
		f, g := make([]float32, tileRows*n), make([]float32, tileRows*n)
		floatsTile(f, n, x, k, y, tileColumns, k)
		floatsTileGo(g, n, x, k, y, tileColumns, k)
		same("products", k, f, g)
	}
}

// What stands beside a text in a call changes nothing about its vector, and neither does how many
// goroutines there are.
func TestSame(t *testing.T) {
	m := builtin(t)
	var texts []string
	for i, r := range references(t) {
		texts = append(texts, r.Text, r.Text[:len(r.Text)/2], strings.Repeat("word ", 40*i))
	}
	want, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := m.Embed(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone[0], want[i]) {
			t.Errorf("%.30q: alone it has another vector", text)
		}
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	got, err := m.Embed(t.Context(), texts)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("with one goroutine the vectors are others (%v)", err)
	}
}

// Neither the vectors nor what is read together depend on the processor: this is a hash of them.
func TestEverywhere(t *testing.T) {
	h := sha256.New()
	odds, err := builtin(t).Answers(t.Context(), "When is the gate locked?", []string{"The gate is locked at nine in the evening.", "Dogs stay outside the gate."})
	if err != nil {
		t.Fatal(err)
	}
	_ = binary.Write(h, binary.LittleEndian, odds)
	for _, r := range references(t) {
		v, err := builtin(t).Embed(t.Context(), []string{r.Text})
		if err != nil {
			t.Fatal(err)
		}
		_ = binary.Write(h, binary.LittleEndian, v[0])
	}
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != "6e9364b0106461b9" {
		t.Errorf("the vectors have the hash %s", got)
	}
}

// Weights that differ make another space, whatever their name.
func TestID(t *testing.T) {
	m := builtin(t)
	data := []byte(weights)
	scale := make([]byte, 4)
	binary.LittleEndian.PutUint32(scale, math.Float32bits(m.layers[5].outer.scale[7]))
	at := bytes.LastIndex(data, scale)
	if at < 0 {
		t.Fatal("the scale is not in the file")
	}
	data[at]++
	other, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if m.ID() == other.ID() || !IsID(m.ID()) || m.ID() != builtin(t).ID() {
		t.Errorf("%q and %q", m.ID(), other.ID())
	}
}

func TestCancel(t *testing.T) {
	m := builtin(t)
	ctx, stop := context.WithCancel(t.Context())
	texts := make([]string, 2000)
	for i := range texts {
		texts[i] = strings.Repeat("the tenant pays the rent ", 40)
	}
	began := time.Now()
	if _, err := m.Embed(t.Context(), texts[:8]); err != nil {
		t.Fatal(err)
	}
	unit := time.Since(began)
	time.AfterFunc(unit, stop)
	began = time.Now()
	_, err := m.Embed(ctx, texts)
	if took := time.Since(began); !errors.Is(err, context.Canceled) || took > 3*unit+time.Second {
		t.Errorf("cancelled after %v (%v), where eight texts take %v", took, err, unit)
	}
}

// A file that is cut, or that says something else than it has, is refused.
func TestParse(t *testing.T) {
	data := []byte(weights)
	for _, n := range []int{0, 5, 19, 20, 100, 1000, 300000, len(data) / 2, len(data) - 64} {
		if _, err := Parse(data[:n]); err == nil {
			t.Errorf("the first %d bytes are taken for a file", n)
		}
	}
	for _, change := range [][2]string{{`"layers": 6`, `"layers": 7`}, {`"width": 384`, `"width": 999`}, {`"heads": 12`, `"heads": 96`}, {`"words": 30522`, `"words": 30521`}, {"[SEP]", "[SAP]"}} {
		other := bytes.Replace(slices.Clone(data), []byte(change[0]), []byte(change[1]), 1)
		if _, err := Parse(other); err == nil {
			t.Errorf("with %s it is taken", change[1])
		} else {
			t.Log(err)
		}
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range []string{"", "Ångström\x00\xff", "a\u0301\u0301", strings.Repeat("x", 300), "İstanbul ﬁ ẞ 한"} {
		f.Add(s)
	}
	m := builtin(f)
	f.Fuzz(func(t *testing.T, s string) {
		for _, most := range []int{0, 1, 5, 1000} {
			for _, id := range m.pieces.of(nil, s, most) {
				if id < 0 || int(id) >= m.Words {
					t.Fatalf("%q has the piece %d", s, id)
				}
			}
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	m := builtin(b)
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = strings.Repeat("the tenant pays the rent on the first of each month, ", 10)
	}
	for b.Loop() {
		if _, err := m.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}

// described is the model of the program with another description.
func described(t *testing.T, change func(d map[string]any)) (*Model, error) {
	t.Helper()
	d := map[string]any{}
	size := int(binary.LittleEndian.Uint32([]byte(weights[len(magic):])))
	first := len(magic) + 4
	if err := json.Unmarshal([]byte(weights[first:first+size]), &d); err != nil {
		t.Fatal(err)
	}
	change(d)
	head, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	data := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(head)))
	data = append(data, head...)
	data = append(data, make([]byte, filled(len(data), 64)-len(data))...)
	return Parse(append(data, weights[filled(first+size, 64):]...))
}

// What a model of another family says of itself is followed.
func TestOtherFamilies(t *testing.T) {
	m := builtin(t)
	embed := func(m *Model, text string) []float32 {
		v, err := m.Embed(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	asks, err := described(t, func(d map[string]any) { d["question"], d["passage"] = "query: ", "passage: " })
	if err != nil {
		t.Fatal(err)
	}
	q, err := Asymmetric{asks}.EmbedQuery(t.Context(), "who signs?")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(q, embed(m, "query: who signs?")) || !slices.Equal(embed(asks, "Ines signs."), embed(m, "passage: Ines signs.")) {
		t.Error("what a model wants before a text is not there")
	}
	first, err := described(t, func(d map[string]any) { d["pooling"] = firstPiece })
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(embed(first, "Ines signs."), embed(m, "Ines signs.")) {
		t.Error("the first piece does not stand for the text")
	}
	if _, err := described(t, func(d map[string]any) { d["pooling"] = "most" }); err == nil {
		t.Error("an unknown pooling is read")
	}
}
