//go:build !lean

package config

import (
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
)

// lean says that the program was built with the tag of that name, without Temporal and
// PostgreSQL.
const lean = false

// A Database says how to reach a PostgreSQL server.
type Database = pgxpool.Config

// connectTimeout bounds a connection when the address sets no timeout.
const connectTimeout = 10 * time.Second

// storeOn reads the address of a PostgreSQL server.
func storeOn(u *url.URL) (Store, error) {
	query := u.Query()
	schema := pgschema.Default
	if query.Has("schema") {
		schema = query.Get("schema")
		query.Del("schema")
	}
	if err := pgschema.CheckName(schema); err != nil {
		return Store{}, err
	}
	u.RawQuery = query.Encode()
	c, err := pgxpool.ParseConfig(u.String())
	if err != nil {
		return Store{}, errors.New("the address cannot be used: check its port, its parameters such as sslmode, and the files that they name")
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "assay"
	}
	return Store{Connect: c, Schema: schema, Shown: shownStore(c, schema)}, nil
}

// shownStore is the address of a store, made of its parts that are not secret.
func shownStore(c *pgxpool.Config, schema string) string {
	parts := url.Values{}
	u := url.URL{Scheme: "postgres", User: url.User(c.ConnConfig.User), Path: "/" + c.ConnConfig.Database}
	port := strconv.Itoa(int(c.ConnConfig.Port))
	if host := c.ConnConfig.Host; len(host) > 0 && host[0] == '/' {
		parts.Set("host", host)
		parts.Set("port", port)
	} else {
		u.Host = host + ":" + port
	}
	if schema != pgschema.Default {
		parts.Set("schema", schema)
	}
	u.RawQuery = parts.Encode()
	return u.String()
}
