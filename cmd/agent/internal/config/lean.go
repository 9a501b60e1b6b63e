//go:build lean

package config

import (
	"net/url"

	"example.com/assay/cmd/agent/internal/cli"
)

// lean says that the program was built with the tag of that name, without Temporal and
// PostgreSQL.
const lean = true

// A Database says how to reach a PostgreSQL server. This build cannot reach one.
type Database struct{}

func storeOn(*url.URL) (Store, error) { return Store{}, cli.NotBuilt("PostgreSQL") }
