// Package vector finds the vectors of a set that are nearest to a query by dot
// product. Vectors of unit length are assumed where it says cosine.
//
//	set, err := vector.NewSet(rows, dims, nil)
//	best := set.Top(query, 50, 0, nil)
//
// Without [Lists] the answer is exact. A row is looked at through a copy of
// eight bits a coordinate first, whose error is known; only where that leaves
// it open whether the row is among the best is its dot product computed. The
// copies are a quarter of the size, and are multiplied in integers, which is
// the same on every processor.
//
// With [Lists], an inverted file ([Train]: spherical k-means, seeded), only the
// rows of the lists nearest to the query are looked at. The answer then misses
// some of the best; the tests of the package and docs/performance.md say how
// many.
//
// A [Coder] writes rows that are too many for memory in their eight bits, by list;
// [OpenCoded] makes a set of them, which reads a list when it is looked at first. With
// [Even] lists all of them are looked at.
//
// What the package does not do: it embeds nothing, opens no files,
// and deletes no rows; another set is made instead. There is no graph index
// (HNSW): it would need each row's neighbours in memory, is built in an order
// that decides its bytes, and is not faster at these sizes than a tenth of a
// scan.
package vector
