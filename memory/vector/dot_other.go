//go:build !amd64

package vector

func dotRows(query []int16, rows []int8, out []int32) { dotRowsGo(query, rows, out) }
