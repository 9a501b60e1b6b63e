package vector

// Dot returns the dot product of two vectors, summed in four lanes of single
// precision. Coordinates that only one of them has are ignored.
func Dot(a, b []float32) float64 {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= n; i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < n; i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0 + s1 + s2 + s3)
}

// lane is the unit of a coded row's width.
const lane = 32

// dotRowsGo writes the products of a query and of len(out) coded rows; rows has them one after the
// other, each as wide as the query, whose length is a multiple of lane. The assembly is tested
// against it.
func dotRowsGo(query []int16, rows []int8, out []int32) {
	width := len(query)
	for r := range out {
		row := rows[r*width : (r+1)*width]
		var s0, s1 int32
		for i := 0; i+1 < len(row); i += 2 {
			s0 += int32(query[i]) * int32(row[i])
			s1 += int32(query[i+1]) * int32(row[i+1])
		}
		out[r] = s0 + s1
	}
}
