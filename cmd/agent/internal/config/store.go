package config

import (
	"errors"
	"net/url"

	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/cli"
)

// EnvStore names the store.
const EnvStore = "ASSAY_STORE"

// storeExample is a store without a password.
const storeExample = "postgres://assay@db.example.com/assay"

// A Store says where the program saves threads, notes, answers and vectors. The zero value is the
// files of the home.
type Store struct {
	Connect *Database // how to reach the PostgreSQL server; nil for the files
	Schema  string    // the schema of the tables
	Shown   string    // the address without secrets
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

// parseStore reads an address. Its errors do not repeat the address, since it may hold a password.
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
