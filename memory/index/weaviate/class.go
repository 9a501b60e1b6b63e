package weaviate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/assay/memory/index"
)

// Properties of a class, beside those of the fields that have their names.
const (
	termsProperty   = "terms"
	passageProperty = "passage"
	placeProperty   = "place"
	opensProperty   = "opens"
)

// A class is a collection.
type class struct {
	server *Server
	name   string

	lock   sync.Mutex
	copies int // of parts of the class, on all nodes together; 0 before it is known
	recent []batch
	nudges int // how often batches were written again
}

// Collection returns the collection of a name, which is an upper-case letter, then
// letters, digits and underscores. The server is not asked.
func (s *Server) Collection(name string) index.Collection { return &class{server: s, name: name} }

type object map[string]any

// Create makes the class. It waits until a majority of the nodes has it.
func (c *class) Create(ctx context.Context, ranking index.BM25) error {
	ranking = ranking.Resolved()
	property := func(name, kind, tokens string, filter, search bool) object {
		p := object{"name": name, "dataType": []string{kind}, "indexFilterable": filter, "indexSearchable": search}
		if tokens != "" {
			p["tokenization"] = tokens
		}
		return p
	}
	made := object{
		"class": c.name, "vectorizer": "none", "vectorIndexType": "hnsw",
		"vectorIndexConfig": object{"distance": "dot"},
		"invertedIndexConfig": object{
			"bm25": object{"k1": ranking.K1, "b": ranking.B}, "stopwords": object{"preset": "none"},
		},
		"replicationConfig": object{"factor": c.server.replicas},
		"properties": []object{
			property(termsProperty, "text", "whitespace", false, true),
			property(passageProperty, "text", "field", false, false),
			property(index.FieldDoc, "text", "field", true, false),
			property(index.FieldTitle, "text", "field", true, false),
			property(index.FieldMeta, "text[]", "field", true, false),
			property(index.FieldOwn, "text[]", "field", true, false),
			property(index.FieldWithin, "text[]", "field", true, false),
			property(placeProperty, "int", "", true, false),
			property(opensProperty, "boolean", "", false, false),
		},
	}
	if c.server.shards > 0 {
		made["shardingConfig"] = object{"desiredCount": c.server.shards}
	}
	if err := c.server.call(ctx, readFor, http.MethodPost, "/v1/schema", made, nil); err != nil {
		return fmt.Errorf("making class %s: %w", c.name, err)
	}
	return nil
}

// Drop removes the class.
func (c *class) Drop(ctx context.Context) error {
	if err := c.server.call(ctx, readFor, http.MethodDelete, "/v1/schema/"+c.name, nil, nil); err != nil {
		return fmt.Errorf("removing class %s: %w", c.name, err)
	}
	return nil
}

// Write sends the records and returns when all copies of them are written. With a node down
// it waits for it, up to five minutes.
func (c *class) Write(ctx context.Context, records []index.Record) error {
	objects := make([]object, len(records))
	for i, r := range records {
		passage, err := json.Marshal(r.Passage)
		if err != nil {
			return fmt.Errorf("encoding passage %q: %w", r.Passage.ID, err)
		}
		properties := object{
			termsProperty: strings.Join(r.Terms, " "), passageProperty: string(passage), placeProperty: r.Place, opensProperty: r.Opens,
			index.FieldDoc: r.Passage.Doc,
		}
		if r.Title != "" {
			properties[index.FieldTitle] = r.Title
		}
		for field, list := range map[string][]string{index.FieldMeta: r.Meta, index.FieldOwn: r.Own, index.FieldWithin: r.Within} {
			if len(list) > 0 {
				properties[field] = safe(list)
			}
		}
		objects[i] = object{"class": c.name, "id": uuid(r.Passage.ID), "properties": properties}
		if r.Vector != nil {
			objects[i]["vector"] = short(r.Vector)
		}
	}
	if err := c.onAll(ctx, objects); err != nil {
		return fmt.Errorf("writing to class %s: %w", c.name, err)
	}
	return nil
}

// Count returns how many passages the class has, once all copies are there.
func (c *class) Count(ctx context.Context) (int, error) {
	if err := c.onAll(ctx, nil); err != nil {
		return 0, fmt.Errorf("counting the passages of class %s: %w", c.name, err)
	}
	var found struct {
		Aggregate map[string][]struct{ Meta struct{ Count int } }
	}
	if err := c.server.query(ctx, fmt.Sprintf("{Aggregate{%s{meta{count}}}}", c.name), &found); err != nil {
		return 0, fmt.Errorf("counting the passages of class %s: %w", c.name, err)
	}
	if len(found.Aggregate[c.name]) != 1 {
		return 0, errors.New("counting the passages of class " + c.name + ": the server does not say")
	}
	return found.Aggregate[c.name][0].Meta.Count, nil
}

// uuid is the id that the server knows a passage by.
func uuid(id string) string {
	h := sha256.Sum256([]byte(id))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80 // version 8: of one's own
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// safe replaces the zero bytes of terms, which no value of a server may hold.
func safe(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ReplaceAll(s, "\x00", "\x1f")
	}
	return out
}

// short cuts coordinates to five decimals: a server chooses by them, and does not score.
func short(v []float32) []float32 {
	out := make([]float32, len(v))
	for i, c := range v {
		out[i] = float32(math.Round(float64(c)*1e5) / 1e5)
	}
	return out
}

// query sends a question and reads the data of the answer.
func (s *Server) query(ctx context.Context, query string, data any) error {
	read := func(body []byte) error {
		var answer struct {
			Data   json.RawMessage
			Errors []struct{ Message string }
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		if len(answer.Errors) > 0 {
			return errors.New(answer.Errors[0].Message)
		}
		return json.Unmarshal(answer.Data, data)
	}
	return s.call(ctx, readFor, http.MethodPost, "/v1/graphql", object{"query": query}, read)
}

// Reachable asks the server whether it answers and has the class, within some seconds.
func (s *Server) Reachable(ctx context.Context, class string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.call(ctx, time.Second, http.MethodGet, "/v1/schema/"+class, nil, nil); err != nil {
		if r, ok := errors.AsType[*refusal](err); ok && r.status == http.StatusNotFound {
			return fmt.Errorf("the server of the index has no class %s; ingest again", class)
		}
		return err
	}
	return nil
}
