package config

import (
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/internal/pgschema"
)

// EnvStore names the store.
const EnvStore = "ASSAY_STORE"

// storeExample is a store without a password.
const storeExample = "postgres://assay@db.example.com/assay"

// A Store is where the program keeps what it saves. The zero value is the files of the home.
type Store struct {
	Connect *Database // how to reach the PostgreSQL server; nil for the files
	Schema  string    // of the tables
	Shown   string    // the address without anything secret
}

// RegisterStore adds the flag of verbs that save something or limit calls.
func RegisterStore(flags *pflag.FlagSet) {
	flags.String("store", "", "PostgreSQL `URL` that holds threads, notes, answers, cached vectors and rates instead of files, such as "+storeExample)
}

// storeSetting is the setting of the store.
func storeSetting() Setting {
	return Setting{
		key: "store", variable: EnvStore, flag: "store", example: storeExample,
		about: "The PostgreSQL server (12 or later) that holds threads, notes, remembered answers, cached vectors and rates for all processes that name it; files of this machine by default. Its password belongs in PGPASSWORD or ~/.pgpass.",
		set: func(p *parser, s *Settings, from origin, text string) {
			store, err := parseStore(text)
			if err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			}
			s.Store = store
		},
		show: func(s *Settings) string { return s.Store.Shown },
	}
}

// parseStore reads an address. Its errors repeat nothing of it, since it may hold a
// password.
func parseStore(text string) (Store, error) {
	if text == "" {
		return Store{}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return Store{}, errors.New("it is not the address of a PostgreSQL server; write one such as " + storeExample)
	}
	return storeOn(u)
}

// lean says that the program was built with the tag of that name, without Temporal and
// PostgreSQL.
const lean = false

// A Database is how to reach a PostgreSQL server.
type Database = pgxpool.Config

// connectTimeout bounds a connection for which the address says nothing.
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

// shownStore is the address of a store from those of its parts that are not secret.
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
