// Package embed turns texts into vectors with an external embedder, a provider's model on the
// network, and caches them.
//
//	cache, err := embed.OpenCache(dir, nil)
//	defer cache.Close()
//	space, err := embed.New(provider, &embed.Options{Cache: cache})
//	vectors, err := space.Passages(ctx, texts, nil)
//
// An [Embedder] is any type with Embed and ID. A [Space] calls it in batches, several at once,
// checks its answers, and gives every vector unit length. A [Cache] stores vectors by the
// embedder's ID, the use and the text: in a file, or in a PostgreSQL database
// (memory/embed/postgres). Vectors that a failed call had already embedded are in the cache, so
// another call continues from there.
//
// The package has no clients of providers, does not retry, truncate text to a model's length or
// compare vectors. The embedder trained on the corpus, memory/lsa, needs none of this.
package embed
