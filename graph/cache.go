package graph

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"
)

// CachePolicy reuses a node's update for an equal input instead of running the
// node. Only the node's own successes are cached: no failures, nothing from an
// error handler, and nothing after an answer to an Interrupt. Updates enter the
// cache after the superstep's tasks, so concurrent tasks never share them. On a
// cache hit routers run, and emitted events are not repeated.
type CachePolicy[S any] struct {
	// Key returns equal strings for equal inputs. Default: the node's whole
	// input as JSON. That ignores Untracked channels and what JSON leaves out,
	// such as unexported fields.
	Key func(state S) string
	// Version is the node's version. Updates of other versions are not used.
	// That matters for a Store that outlives the graph. Default "".
	Version string
	// TTL limits the age of updates. Default: no limit. Compile reports a
	// negative TTL.
	TTL time.Duration
	// Store keeps the updates: a Cache in memory, or a DiskCache. Default: a
	// Cache that the compiled graph's nodes and runs share.
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

// A Cache keeps updates in memory by node name, version and key. The zero value
// is ready. Several goroutines and graphs may share it, if equal names and
// versions mean equal nodes.
type Cache[S any] struct {
	// MaxEntries bounds the number of updates; the oldest is dropped first. Set
	// it before first use. Default 1000.
	MaxEntries int

	inner memoryCache
}

type cacheKey [sha256.Size]byte

// Clear empties the cache.
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
	until  time.Time // zero for no limit
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

// A memo is a task's use of its node's cache.
type memo struct {
	key   cacheKey
	hit   bool // the update is a cache hit
	fresh bool // the update has to be cached
}

// recall looks up a task in its node's cache.
func (r *run) recall(res *result, n *node) error {
	key, err := r.cacheKey(n, r.pos.input(res))
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
	input := r.program.storable(state)
	whole, err := encode(input) // a Send may fill fields without channels
	if err != nil {
		return key, fmt.Errorf("encoding the input: %w; set CachePolicy.Key", err)
	}
	part(whole)
	for _, ch := range r.program.channels { // a struct tag may hide a channel's field from JSON
		if ch.id().kind == KindUntracked {
			continue
		}
		data, err := ch.encode(nil, input)
		if err != nil {
			return key, fmt.Errorf("encoding channel %q: %w; set CachePolicy.Key", ch.id().name, err)
		}
		part(data)
	}
	h.Sum(key[:0])
	return key, nil
}

// remember caches the new updates of a superstep in task order.
func (r *run) remember() error {
	for i := range r.pos.results {
		res := &r.pos.results[i]
		if m := res.memo; m != nil && m.fresh {
			policy := r.program.nodes[res.node].opts.cache
			if err := policy.store.put(m.key, res.update, policy.ttl); err != nil {
				return r.failureOf(res, fmt.Errorf("writing its cache: %w", err))
			}
		}
	}
	return nil
}
