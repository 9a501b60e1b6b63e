package vector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// clustered makes unit rows around centres, as texts lie around topics.
func clustered(n, dims, centres int, spread float64, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 9))
	middle := make([]float64, centres*dims)
	for i := range middle {
		middle[i] = rng.NormFloat64()
	}
	rows := make([]float32, n*dims)
	for i := range n {
		c := rng.IntN(centres)
		row := rows[i*dims : (i+1)*dims]
		for j := range row {
			row[j] = float32(middle[c*dims+j] + spread*rng.NormFloat64())
		}
		norm := float32(length(row))
		for j := range row {
			row[j] /= norm
		}
	}
	return rows
}

func set(t testing.TB, rows []float32, dims int, lists *Lists) *Set {
	t.Helper()
	s, err := NewSet(rows, dims, lists)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// slow is Top by the most obvious road.
func slow(s *Set, query []float32, k int, above float64, skip func(int32) bool) []Match {
	var all []Match
	for i := range s.Len() {
		m := Match{Row: int32(i), Value: Dot(query, s.Row(int32(i)))}
		if m.Value > above && (skip == nil || !skip(m.Row)) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b Match) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return all[:min(k, len(all))]
}

// Eight bits decide what is looked at, never what is found.
func TestTopIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 70).Draw(t, "dims")
		n := rapid.IntRange(0, 600).Draw(t, "rows")
		spread := rapid.SampledFrom([]float64{.01, .3, 3}).Draw(t, "spread")
		rows := clustered(n, dims, 5, spread, rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "zero rows") {
			clear(rows[:len(rows)/dims/3*dims])
		}
		if rapid.Bool().Draw(t, "equal rows") && n > 9 {
			copy(rows[3*dims:9*dims], rows[4*dims:10*dims])
		}
		s, err := NewSet(rows, dims, nil)
		if err != nil {
			t.Fatal(err)
		}
		query := clustered(1, dims, 1, 1, rapid.Uint64().Draw(t, "query"))
		k := rapid.IntRange(0, 60).Draw(t, "k")
		above := rapid.SampledFrom([]float64{0, -2, .5}).Draw(t, "above")
		var skip func(int32) bool
		if rapid.Bool().Draw(t, "skip") {
			skip = func(row int32) bool { return row%3 == 0 }
		}
		if got, want := s.Top(query, k, above, skip), slow(s, query, k, above, skip); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// Queries that look together find what each finds alone, one of another length nothing.
func TestTopOfEachIsTop(t *testing.T) {
	rows := clustered(5000, 20, 40, .5, 3)
	lists, err := Train(t.Context(), rows, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Lists{nil, lists} {
		s := set(t, rows, 20, l)
		queries := [][]float32{s.Row(7), nil, s.Row(4000), s.Row(7), make([]float32, 3), s.Row(123)}
		for i, got := range s.TopOfEach(queries, 50, .1, nil) {
			want := s.Top(queries[i], 50, .1, nil)
			if !slices.Equal(got, want) || (len(want) > 0) != (len(queries[i]) == 20) {
				t.Errorf("lists %v, query %d: %v, want %v", l != nil, i, got, want)
			}
		}
	}
}

func TestTopOnAnyNumberOfProcessors(t *testing.T) {
	rows := clustered(5*serial/2, 20, 40, .5, 1)
	s := set(t, rows, 20, nil)
	want := slow(s, s.Row(77), 50, 0, nil)
	for _, procs := range []int{1, 2, 8} {
		previous := runtime.GOMAXPROCS(procs)
		got := s.Top(s.Row(77), 50, 0, nil)
		runtime.GOMAXPROCS(previous)
		if !slices.Equal(got, want) {
			t.Errorf("on %d processors: %v, want %v", procs, got, want)
		}
	}
}

func TestDotRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{lane, 2 * lane, 5 * lane, 48 * lane} {
		for _, n := range []int{1, 2, 7, 256} {
			query, rows := make([]int16, width), make([]int8, n*width)
			for i := range query {
				query[i] = int16(rng.IntN(2*2047+1) - 2047)
			}
			for i := range rows {
				rows[i] = int8(rng.IntN(2*codeMax+1) - codeMax)
			}
			if n > 1 { // the largest sum that may occur
				for i := range width {
					query[i], rows[i] = int16(min(2047, math.MaxInt32/(codeMax*width))), codeMax
				}
			}
			got, want := make([]int32, n), make([]int32, n)
			dotRows(query, rows, got)
			for r := range want {
				var sum int64
				for i := range width {
					sum += int64(query[i]) * int64(rows[r*width+i])
				}
				want[r] = int32(sum)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("width %d, %d rows: %v, want %v", width, n, got, want)
			}
			if dotRowsGo(query, rows, got); !slices.Equal(got, want) {
				t.Fatalf("in Go, width %d, %d rows: %v, want %v", width, n, got, want)
			}
		}
	}
	dotRows(nil, nil, nil)
}

// What eight bits may be off is bounded, for every row and query.
func TestCodesAreWithinTheirError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 40).Draw(t, "dims")
		numbers := rapid.SliceOfN(rapid.Float32Range(-3, 3), 2*dims, 2*dims).Draw(t, "numbers")
		row, query := numbers[:dims], numbers[dims:]
		c := encode(1, dims, func(int) []float32 { return row })
		p := c.probe(query)
		out := make([]int32, 1)
		dotRows(p.codes, c.data, out)
		if off := math.Abs(p.step*float64(c.step[0])*float64(out[0]) - Dot(query, row)); off > p.slack {
			t.Fatalf("off by %v, bound %v", off, p.slack)
		}
	})
}

func TestDotAgainstLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 23 {
		a, b := make([]float32, n), make([]float32, n+2)
		want := 0.0
		for i := range a {
			a[i], b[i] = rng.Float32()-.5, rng.Float32()-.5
			want += float64(a[i]) * float64(b[i])
		}
		if got := Dot(a, b); math.Abs(got-want) > 1e-5 {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}

func trained(t testing.TB, rows []float32, dims int) *Lists {
	t.Helper()
	l, err := Train(t.Context(), rows, dims)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The lists find most of what a scan finds, and look at few rows for it, also
// for queries that are no rows.
func TestListsFindMost(t *testing.T) {
	const n, dims = 20000, 64
	rows := clustered(n, dims, 200, .8, 1)
	l := trained(t, rows, dims)
	flat, fast := set(t, rows, dims, nil), set(t, rows, dims, l)
	queries := clustered(100, dims, 200, 1.2, 1)
	found, looked := 0, 0
	for i := range 100 {
		q := queries[i*dims : (i+1)*dims]
		found += common(fast.Top(q, 10, -1, nil), flat.Top(q, 10, -1, nil))
		for _, list := range l.nearest(q) {
			looked += fast.start[list+1] - fast.start[list]
		}
	}
	recall, share := float64(found)/1000, float64(looked)/100/n
	t.Logf("%d lists, %d probes: recall@10 %.3f (%.3f when trained), %.1f %% of the rows looked at", l.Count(), l.Probes(), recall, l.Recall(), 100*share)
	if recall < .95 || l.Recall() < enough || share > .25 {
		t.Errorf("recall@10 %.3f, want .95; trained %.3f; %.1f %% looked at, want at most 25 %%", recall, l.Recall(), 100*share)
	}
	if all := fast.Top(rows[:dims], 10, -1, func(row int32) bool { return row == 0 }); slices.ContainsFunc(all, func(m Match) bool { return m.Row == 0 }) {
		t.Error("a row that is to be skipped was found")
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	rows := clustered(5000, 24, 30, .6, 2)
	var want []byte
	for _, procs := range []int{1, 8, 2} {
		previous := runtime.GOMAXPROCS(procs)
		l := trained(t, rows, 24)
		runtime.GOMAXPROCS(previous)
		got, err := l.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("on %d processors the lists differ", procs)
		}
	}
}

func TestAssign(t *testing.T) {
	rows := clustered(3000, 16, 20, .4, 3)
	l := trained(t, rows, 16)
	same, err := l.Assign(t.Context(), rows)
	if err != nil || !slices.Equal(same.assigned, l.assigned) {
		t.Errorf("the same rows are shared out otherwise: %v", err)
	}
	more := append(slices.Clone(rows), clustered(50, 16, 20, .4, 3)...)
	grown, err := l.Assign(t.Context(), more)
	if err != nil || len(grown.assigned) != 3050 || !slices.Equal(grown.assigned[:3000], l.assigned) || grown.Probes() != l.Probes() {
		t.Errorf("grown: %d assigned, %v", len(grown.assigned), err)
	}
	if got := set(t, more, 16, grown).Top(more[3001*16:3002*16], 1, 0, nil); len(got) != 1 || got[0].Value < .9999 {
		t.Errorf("a new row does not find itself: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Assign(ctx, rows); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Train(ctx, rows, 16); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTinySets(t *testing.T) {
	for n := 1; n < 12; n++ {
		rows := clustered(n, 3, 2, .5, uint64(n))
		s := set(t, rows, 3, trained(t, rows, 3))
		if got := s.Top(rows[:3], 20, math.Inf(-1), nil); len(got) == 0 || got[0].Row != 0 {
			t.Errorf("%d rows: %v", n, got)
		}
	}
	zeros := make([]float32, 30)
	if got := set(t, zeros, 3, trained(t, zeros, 3)).Top([]float32{1, 0, 0}, 3, 0, nil); len(got) != 0 {
		t.Errorf("zero rows are near to something: %v", got)
	}
	if got := set(t, nil, 0, nil).Top(nil, 3, 0, nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if got := set(t, zeros, 3, nil).Top([]float32{1, 0}, 3, -1, nil); len(got) != 0 {
		t.Errorf("of a query of other length: %v", got)
	}
	nan := float32(math.NaN())
	if got := set(t, []float32{nan, 1, 0, 1}, 2, nil).Top([]float32{0, 1}, 3, -1, nil); len(got) != 1 || got[0].Row != 1 {
		t.Errorf("beside a row that is no number: %v", got)
	}
}

func TestNewSetRefuses(t *testing.T) {
	l := trained(t, clustered(10, 4, 2, .5, 1), 4)
	for name, err := range map[string]error{
		"a rest":       second(NewSet(make([]float32, 7), 2, nil)),
		"no dims":      second(NewSet(make([]float32, 7), 0, nil)),
		"negative":     second(NewSet(make([]float32, 6), -2, nil)),
		"other rows":   second(NewSet(make([]float32, 44), 4, l)),
		"other dims":   second(NewSet(make([]float32, 20), 2, l)),
		"train a rest": second(Train(t.Context(), make([]float32, 7), 2)),
		"train none":   second(Train(t.Context(), nil, 2)),
		"assign":       second(l.Assign(t.Context(), make([]float32, 7))),
	} {
		if err == nil {
			t.Errorf("%s was not refused", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func FuzzDecodeLists(f *testing.F) {
	l := trained(f, clustered(40, 4, 3, .5, 1), 4)
	good, err := l.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(listsMagic))
	f.Add([]byte(listsMagic + "\x04\xff\xff\xff\x07\x01"))
	f.Add(good[:len(good)-1])
	f.Add(append(slices.Clone(good), 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := DecodeLists(data)
		if err != nil {
			return
		}
		again, err := l.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodeLists(again); err != nil || fmt.Sprint(back) != fmt.Sprint(l) {
			t.Fatalf("does not come back: %v", err)
		}
	})
}

func TestDecodeLists(t *testing.T) {
	l := trained(t, clustered(40, 4, 3, .5, 1), 4)
	good, err := l.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeLists(good)
	if err != nil || fmt.Sprint(back) != fmt.Sprint(l) {
		t.Errorf("%v\n%v\n%v", err, back, l)
	}
	for cut := range good {
		if _, err := DecodeLists(good[:cut]); err == nil {
			t.Fatalf("%d of %d bytes were read", cut, len(good))
		}
	}
	if _, err := DecodeLists(append(slices.Clone(good), 0)); err == nil {
		t.Error("a byte too many was not noticed")
	}
}

// go test -bench . ./memory/vector
func BenchmarkTop(b *testing.B) {
	for _, size := range []struct{ n, dims int }{{13732, 100}, {200000, 100}, {50000, 768}} {
		rows := clustered(size.n, size.dims, 500, .8, 1)
		flat := set(b, rows, size.dims, nil)
		lists := trained(b, rows, size.dims)
		fast := set(b, rows, size.dims, lists)
		queries := clustered(64, size.dims, 500, 1.2, 1)
		found := 0
		for i := range 64 {
			q := queries[i*size.dims : (i+1)*size.dims]
			found += common(fast.Top(q, 10, -1, nil), flat.Top(q, 10, -1, nil))
		}
		run := func(name string, top func(q []float32)) {
			b.Run(fmt.Sprintf("%s/n=%d/dims=%d", name, size.n, size.dims), func(b *testing.B) {
				i := 0
				for b.Loop() {
					top(queries[i%64*size.dims : (i%64+1)*size.dims])
					i++
				}
				if name == "lists" {
					b.ReportMetric(float64(found)/640, "recall@10")
				}
			})
		}
		run("plain", func(q []float32) { // what a scan of single precision costs
			found := best{k: 50}
			for i := range size.n {
				found.add(Match{int32(i), Dot(q, flat.Row(int32(i)))})
			}
		})
		run("flat", func(q []float32) { flat.Top(q, 50, 0, nil) })
		run("lists", func(q []float32) { fast.Top(q, 50, 0, nil) })
	}
}
