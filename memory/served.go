package memory

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// A Server stores the indexes of corpora too large for one machine.
type Server interface {
	// Collection returns the collection of a name, without a request.
	Collection(name string) index.Collection
	// Collections lists those whose names begin with prefix, sorted.
	Collections(ctx context.Context, prefix string) ([]string, error)
	// Reachable reports why a collection cannot be asked; nil when it can.
	Reachable(ctx context.Context, name string) error
}

// Servers returns the server of an address. It asks nothing.
type Servers func(address string) (Server, error)

// dropWithin bounds the removal of a failed ingest's data from a server.
const dropWithin = 30 * time.Second

// InFiles is the value of [IngestOptions] Index for an index in files.
const InFiles = "files"

const (
	servedDir   = "served"  // of a generation: the local files of searches on a server
	serversFile = "servers" // of a corpus: the servers that may have data of it
)

// served describes the location of a generation's index on a server.
type served struct {
	Address    string `json:"address"`
	Collection string `json:"collection"`
	Before     string `json:"before,omitempty"` // collection of the generation that it replaced: other machines may still search it
}

// A residence is a corpus's name on servers, with the servers that may have data of it. It is
// written before the first collection is created, so that the data of a killed ingest is found.
type residence struct {
	Prefix    string   `json:"prefix"` // of its collections: its name, and a part that distinguishes machines
	Addresses []string `json:"addresses"`
}

func (s *store) residence() (residence, error) {
	var r residence
	data, err := os.ReadFile(s.path(serversFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, &CorruptCorpusError{Name: s.name, Err: fmt.Errorf("reading which servers hold it: %w", err)}
	}
	return r, nil
}

// reside records that a server may have data of the corpus.
func (s *store) reside(address string) (residence, error) {
	r, err := s.residence()
	if err != nil || slices.Contains(r.Addresses, address) {
		return r, err
	}
	if r.Prefix == "" {
		id := make([]byte, 6)
		if _, err := rand.Read(id); err != nil {
			return r, err
		}
		letters := strings.Map(func(c rune) rune {
			if c == '.' || c == '-' {
				return '_'
			}
			return c
		}, s.name)
		r.Prefix = fmt.Sprintf("Assay_%s_%s_", letters, hex.EncodeToString(id))
	}
	r.Addresses = append(r.Addresses, address)
	data, err := json.Marshal(r)
	if err == nil {
		err = s.writeFile(serversFile, append(data, '\n'))
	}
	if err != nil {
		return r, fmt.Errorf("noting the server of corpus %q: %w", s.name, err)
	}
	return r, nil
}

// dropCollections removes the corpus's collections from servers, but for those that a
// generation that is there names, if any may stay.
func (s *store) dropCollections(ctx context.Context, servers Servers, stay bool) error {
	r, err := s.residence()
	if err != nil || len(r.Addresses) == 0 {
		return err
	}
	used := map[string]bool{}
	if stay {
		gens, err := s.generations()
		if err != nil {
			return err
		}
		for _, gen := range gens {
			m, err := readManifest(s.path(gen, manifestFile))
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was never finished
			}
			if err != nil {
				return nil // which collections it needs is not known, so all stay
			}
			if m.Served != nil {
				used[m.Served.Collection], used[m.Served.Before] = true, true
			}
		}
	}
	for _, address := range r.Addresses {
		server, err := connect(servers, address)
		if err != nil {
			return err
		}
		names, err := server.Collections(ctx, r.Prefix)
		if err != nil {
			return &ServerError{Corpus: s.name, Address: address, Err: err}
		}
		for _, name := range names {
			if used[name] {
				continue
			}
			s.step("drop " + name)
			if err := server.Collection(name).Drop(ctx); err != nil {
				return &ServerError{Corpus: s.name, Address: address, Err: err}
			}
		}
	}
	return nil
}

func connect(servers Servers, address string) (Server, error) {
	if servers == nil {
		return nil, fmt.Errorf("the index is on the server %s, and this program was given no way to reach servers", address)
	}
	return servers(address)
}

// A ServerError reports that the server with a corpus's index cannot be used.
type ServerError struct {
	Corpus, Address string
	Err             error
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("the index of corpus %q at %s cannot be used: %v", e.Corpus, e.Address, e.Err)
}

// Cause is CauseIndex: the run cannot read its corpus.
func (e *ServerError) Cause() state.Cause { return state.CauseIndex }

func (e *ServerError) Unwrap() error { return e.Err }

// wanted returns the address of the server for the new generation, "" for files.
func (r *ingestion) wanted() string {
	switch r.opts.Index {
	case "":
		return r.old.address()
	case InFiles:
		return ""
	}
	return r.opts.Index
}

// address returns the address of the server with the generation's index, "" for files.
func (m *manifest) address() string {
	if m.Served == nil {
		return ""
	}
	return m.Served.Address
}

// moved reports whether the live generation's index is elsewhere.
func (r *ingestion) moved() bool { return r.live != "" && r.old.address() != r.wanted() }

// publish copies the generation's index to the server that it is for.
func (r *ingestion) publish(ctx context.Context, gen string) (*served, error) {
	address := r.wanted()
	if address == "" {
		return nil, nil
	}
	server, err := connect(r.opts.Servers, address)
	if err != nil {
		return nil, err
	}
	home, err := r.store.reside(address)
	if err != nil {
		return nil, err
	}
	out := &served{Address: address, Collection: home.Prefix + strings.ReplaceAll(gen, "-", "_")}
	if r.old.address() == address {
		out.Before = r.old.Served.Collection
	}
	r.store.step("publish " + gen)
	err = index.Publish(ctx, index.PublishOptions{
		From: r.store.path(gen, indexDir), Dir: r.store.path(gen, servedDir), To: server.Collection(out.Collection), Progress: r.opts.Progress,
	})
	if err != nil && ctx.Err() == nil {
		err = &ServerError{Corpus: r.store.name, Address: address, Err: err}
	}
	return out, err
}

// unpublish deletes from a server the data of a generation that did not become live.
func (r *ingestion) unpublish(ctx context.Context, m *manifest) error {
	if m == nil || m.Served == nil {
		return nil
	}
	server, err := connect(r.opts.Servers, m.Served.Address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropWithin)
	defer cancel()
	return server.Collection(m.Served.Collection).Drop(ctx)
}

// searched returns the directory of a generation that searches read.
func (s *store) searched(gen string) (dir string, onServer bool) {
	if _, err := os.Stat(s.path(gen, servedDir)); err == nil {
		return s.path(gen, servedDir), true
	}
	return s.path(gen, indexDir), false
}

// openServed opens a generation whose index is on a server.
func (s *store) openServed(dir string, m *manifest, opts OpenOptions) (*index.Index, error) {
	if m.Served == nil {
		return nil, errors.New("its manifest does not say which server holds it")
	}
	server, err := connect(opts.Servers, m.Served.Address)
	if err != nil {
		return nil, err
	}
	return index.OpenServed(dir, server.Collection(m.Served.Collection))
}

// Reachable returns an error if the server with the corpus's index does not respond; nil for an
// index in files.
func (c *Corpus) Reachable(ctx context.Context) error {
	if c.manifest.Served == nil {
		return nil
	}
	server, err := connect(c.opts.Servers, c.manifest.Served.Address)
	if err == nil {
		err = server.Reachable(ctx, c.manifest.Served.Collection)
	}
	if err != nil {
		return &ServerError{Corpus: c.store.name, Address: c.manifest.Served.Address, Err: err}
	}
	return nil
}

// needsFiles returns the error of an operation that a corpus on a server does not support.
func (c *Corpus) needsFiles(what string) error {
	return fmt.Errorf("%s needs the index of corpus %q in files, and it is on a server; ingest it with the index %q", what, c.store.name, InFiles)
}
