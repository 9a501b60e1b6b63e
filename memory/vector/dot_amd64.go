package vector

import "golang.org/x/sys/cpu"

// dotRows is dotRowsGo, by AVX2 where the processor has it.
func dotRows(query []int16, rows []int8, out []int32) {
	if !cpu.X86.HasAVX2 || len(out) == 0 || len(query) == 0 {
		dotRowsGo(query, rows, out)
		return
	}
	_ = rows[:len(out)*len(query)]
	dotRowsAVX2(&query[0], &rows[0], len(query), &out[0], len(out))
}

// dotRowsAVX2 needs a width that is a multiple of lane and not 0, and at least
// one row.
//
//go:noescape
func dotRowsAVX2(query *int16, rows *int8, width int, out *int32, n int)
