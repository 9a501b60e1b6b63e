//go:build lean

package cli

// Lean reports whether the program was built with the tag lean, which leaves out Temporal and
// PostgreSQL.
const Lean = true
