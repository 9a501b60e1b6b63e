package graph

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"
)

// CachePolicy lets a node's update be used again for an equal input, instead of
// running the node. Only what the node itself returned with success is kept: no
// failure, nothing from an error handler, and nothing that somebody's answer to
// an Interrupt went into. It is kept when the superstep's
// tasks have ended, so that tasks side by side never use each other's. Routers
// run all the same; what the node emitted is not emitted again.
type CachePolicy[S any] struct {
	// Key says which inputs are equal. Default: all that the node sees, as JSON;
	// what JSON leaves out, such as unexported fields inside a value, and
	// Untracked channels do not count.
	Key func(state S) string
	// Version is the node's. Updates of another version are not used, which
	// matters for a Store that outlives the graph. Default "".
	Version string
	// TTL is how long an update is used. Default: as long as the store keeps it.
	// Negative is a problem that Compile reports.
	TTL time.Duration
	// Store keeps the updates: a Cache in memory, or a DiskCache. Default: a Cache
	// of the compiled graph's own, shared by its nodes and runs.
	Store CacheStore[S]
}

// A CacheStore is a *Cache or a *DiskCache.
type CacheStore[S any] interface {
	of(*S)
	untyped() cacheStore
}

// A cachePolicy is a CachePolicy without the type of its state.
type cachePolicy struct {
	key     func(state any) string // nil for the default
	version string
	ttl     time.Duration
	store   cacheStore
}

// A cacheStore is a CacheStore without the type of the state.
type cacheStore interface {
	get(p *program, key cacheKey) (update, bool, error)
	put(key cacheKey, u update, ttl time.Duration) error
	fault() string // why it cannot be used; empty when it can
}

func (c *CachePolicy[S]) untyped() *cachePolicy {
	if c == nil {
		return nil
	}
	p := &cachePolicy{version: c.Version, ttl: c.TTL}
	if c.Store != nil {
		p.store = c.Store.untyped()
	}
	if c.Key != nil {
		p.key = func(state any) string { return c.Key(*state.(*S)) }
	}
	return p
}

// A Cache keeps updates of nodes in memory, by the node's name, its version and
// its key. The zero value is ready; it may be used by several goroutines and
// graphs, which then must mean the same by a name and version.
type Cache[S any] struct {
	// MaxEntries is how many updates are kept; the oldest goes first. It is set
	// before first use. Default 1000.
	MaxEntries int

	inner memoryCache
}

type cacheKey [sha256.Size]byte

// Clear forgets everything.
func (c *Cache[S]) Clear() { c.inner.clear() }

func (c *Cache[S]) of(*S) {}

func (c *Cache[S]) untyped() cacheStore { return limitedCache{&c.inner, &c.MaxEntries} }

// A memoryCache is a Cache without the type of its state. The zero value is
// ready.
type memoryCache struct {
	mu      sync.Mutex
	entries map[cacheKey]cacheEntry
	order   []cacheKey // oldest first
}

type cacheEntry struct {
	update update
	until  time.Time // zero is for ever
}

func (c *memoryCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.order = nil, nil
}

func (c *memoryCache) get(_ *program, key cacheKey) (update, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok || !e.until.IsZero() && !time.Now().Before(e.until) {
		return nil, false, nil
	}
	return e.update, true, nil
}

// A limitedCache is a memoryCache with the MaxEntries of its Cache.
type limitedCache struct {
	*memoryCache
	most *int
}

func (c limitedCache) fault() string {
	if *c.most < 0 {
		return "its cache's MaxEntries must not be negative"
	}
	return ""
}

func (c limitedCache) put(key cacheKey, u update, ttl time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := cacheEntry{update: slices.Clone(u)}
	if ttl > 0 {
		e.until = time.Now().Add(ttl)
	}
	if _, known := c.entries[key]; !known {
		for len(c.order) >= cmp.Or(*c.most, 1000) {
			delete(c.entries, c.order[0])
			c.order = c.order[1:]
		}
		c.order = append(c.order, key)
	}
	if c.entries == nil {
		c.entries = map[cacheKey]cacheEntry{}
	}
	c.entries[key] = e
	return nil
}

// memo is what a task has to do with its node's cache.
type memo struct {
	key   cacheKey
	hit   bool // the update comes from the cache
	fresh bool // the update is to go there
}

// recall looks for a task's update in its node's cache.
func (r *run) recall(res *result, n *node) error {
	key, err := r.cacheKey(n, r.input(res))
	if err != nil {
		return fmt.Errorf("making the key of its cache: %w", err)
	}
	res.memo = &memo{key: key}
	found, hit, err := n.opts.cache.store.get(r.program, key)
	res.update, res.memo.hit, res.cached = append(res.update[:0], found...), hit, hit
	if err != nil {
		return fmt.Errorf("reading its cache: %w", err)
	}
	return nil
}

func (r *run) cacheKey(n *node, state any) (key cacheKey, err error) {
	defer recoverAs(&err)
	h := sha256.New()
	part := func(data []byte) {
		fmt.Fprintf(h, "%d:", len(data))
		h.Write(data)
	}
	part([]byte(n.name))
	part([]byte(n.opts.cache.version))
	if n.opts.cache.key != nil {
		part([]byte(n.opts.cache.key(state)))
		h.Sum(key[:0])
		return key, nil
	}
	input := r.storable(state)
	whole, err := encode(input) // a Send may fill fields that no channel has
	if err != nil {
		return key, fmt.Errorf("encoding the input: %w; CachePolicy.Key is the way round", err)
	}
	part(whole)
	for _, ch := range r.channels { // and a field's tag may hide it from JSON
		if ch.id().kind == KindUntracked {
			continue
		}
		data, err := ch.encode(nil, input)
		if err != nil {
			return key, fmt.Errorf("encoding channel %q: %w; CachePolicy.Key is the way round", ch.id().name, err)
		}
		part(data)
	}
	h.Sum(key[:0])
	return key, nil
}

// remember puts the new updates of a superstep into the caches, in task order.
func (r *run) remember() error {
	for i := range r.results {
		res := &r.results[i]
		if m := res.memo; m != nil && m.fresh {
			policy := r.nodes[res.node].opts.cache
			if err := policy.store.put(m.key, res.update, policy.ttl); err != nil {
				return r.failureOf(res, fmt.Errorf("writing its cache: %w", err))
			}
		}
	}
	return nil
}
