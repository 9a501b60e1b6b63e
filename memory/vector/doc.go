// Package vector finds the vectors of a set with the greatest dot product with a query. Vectors of
// unit length are assumed where it says cosine.
//
//	set, err := vector.NewSet(rows, dims, nil)
//	best := set.Top(query, 50, 0, nil)
//
// Without [Lists] the result is exact. A row is first compared through a copy of eight bits per
// coordinate, whose error is bounded; its dot product is computed only if the copy leaves open
// whether the row is among the best. The copies have a quarter of the size and are multiplied in
// integers, with equal results on every processor.
//
// With [Lists], an inverted file ([Train]: spherical k-means, seeded), only the rows of the lists
// nearest to the query are examined. The result then misses some of the best; the tests of the
// package and docs/performance.md say how many.
//
// A [Coder] writes rows that do not fit into memory in their eight bits, by list; [OpenCoded] makes
// a set of them that reads a list on first use. With [Even] all lists are examined.
//
// The package does not embed texts, open files or delete rows; a new set is made instead. There is
// no graph index (HNSW): it would need each row's neighbours in memory, its bytes depend on the
// order of insertion, and at these sizes it is not faster than a tenth of a scan.
package vector
