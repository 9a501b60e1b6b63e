// Package weaviate keeps the passages of a corpus on Weaviate servers, 1.30 or later,
// over their REST and GraphQL interfaces.
//
//	server, err := weaviate.New("weaviate://db1:8080,db2:8080?shards=3&replicas=2", key)
//	err = index.Publish(ctx, index.PublishOptions{From: "gen-1", Dir: "gen-1-served", To: server.Collection("Law1")})
//	x, err := index.OpenServed("gen-1-served", server.Collection("Law1"))
//
// A generation is a class. Weaviate ranks our stems by its BM25, with our parameters, and
// our vectors by their dot product; it is given no text to analyse. All other ranking is
// package index's. A call tries the next host when one does not answer, and goes on trying
// for a while, since a node that died comes back or is replaced.
//
// What it does not do: it installs no server, uses no module or vectorizer of one, does
// not change the number of shards or replicas of a class that exists, and makes no backups.
package weaviate
