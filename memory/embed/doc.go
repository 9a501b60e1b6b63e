// Package embed turns texts into vectors by an embedder of somebody else's, a
// provider's model behind a network, and keeps what it got.
//
//	cache, err := embed.OpenCache(dir, nil)
//	defer cache.Close()
//	space, err := embed.New(provider, &embed.Options{Cache: cache})
//	vectors, err := space.Passages(ctx, texts, nil)
//
// An [Embedder] is any type with Embed and ID. A [Space] asks it in batches,
// several at once, checks what it answers, and gives every vector unit length.
// A [Cache] holds vectors by what they were made of, the embedder's ID, the use and
// the text: in a file, or in a PostgreSQL database (memory/embed/postgres). What a failed call had already embedded is in the
// cache, so that calling again goes on where it stopped.
//
// What this package does not do: it knows no provider, retries nothing, cuts
// no text to a model's length and compares no vectors. The embedder that is
// trained on the corpus, memory/lsa, needs none of this.
package embed
