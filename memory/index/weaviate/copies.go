package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"example.com/assay/internal/again"
)

// A batch is objects that were written, and when.
type batch struct {
	objects []object
	at      time.Time
}

// unsafe is how long after a batch was acknowledged a node that is killed may still lose it.
const unsafe = 15 * time.Second

// onAll writes objects until all nodes with a copy are there before and after it. Some
// seconds after a node died, the others count it out, and ALL and QUORUM mean those that are
// left: when it is back, it lacks what was written meanwhile. It may lack what it
// acknowledged just before it died, too, so after any failure the last batches are sent again.
func (c *class) onAll(ctx context.Context, objects []object) error {
	missed := false
	return again.Do(ctx, again.Waits{First: time.Second, Most: time.Second, Total: writeFor}, func() error {
		failures := c.server.failures.Load()
		err := c.round(ctx, objects, missed)
		missed = true
		if err == nil && c.server.failures.Load() != failures {
			err = errors.New("a try failed meanwhile")
		}
		if err == nil {
			c.remember(objects)
		}
		return err
	}, func(err error) bool { return !isFinal(err) })
}

// round writes objects between two looks at the copies.
func (c *class) round(ctx context.Context, objects []object, missed bool) error {
	if err := c.whole(ctx); err != nil {
		return err
	}
	if missed {
		by := c.nudge()
		if err := c.sendRecent(ctx, by); err != nil {
			return err
		}
		objects = nudged(objects, by)
	}
	if len(objects) > 0 {
		if err := c.send(ctx, objects); err != nil {
			return err
		}
	}
	return c.whole(ctx)
}

// nudge counts what is written again.
func (c *class) nudge() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.nudges++
	return c.nudges
}

// nudged are objects whose vectors differ a little from those that were written. A node that
// died may have an object and lack its words. Written again as it was, Weaviate takes it for
// indexed; with another vector it indexes all of it anew.
func nudged(objects []object, by int) []object {
	out := make([]object, len(objects))
	for i, o := range objects {
		out[i] = maps.Clone(o)
		if v, ok := o["vector"].([]float32); ok {
			v = slices.Clone(v)
			v[0] += float32(by) * 1e-5
			out[i]["vector"] = v
		}
	}
	return out
}

// send writes objects once.
func (c *class) send(ctx context.Context, objects []object) error {
	read := func(answer []byte) error {
		var results []struct {
			Result struct {
				Errors struct{ Error []struct{ Message string } }
			}
		}
		if err := json.Unmarshal(answer, &results); err != nil {
			return err
		}
		for i, r := range results {
			if len(r.Result.Errors.Error) > 0 {
				return fmt.Errorf("passage %d of %d: %s", i+1, len(objects), r.Result.Errors.Error[0].Message)
			}
		}
		if len(results) != len(objects) {
			return fmt.Errorf("it answers for %d passages of %d", len(results), len(objects))
		}
		return nil
	}
	return c.server.call(ctx, writeFor, http.MethodPost, "/v1/batch/objects?consistency_level=ALL", object{"objects": objects}, read)
}

// remember keeps a batch for as long as a node may lose it.
func (c *class) remember(objects []object) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.copies == 1 || len(objects) == 0 {
		return
	}
	c.recent = slices.DeleteFunc(c.recent, func(b batch) bool { return time.Since(b.at) > unsafe })
	c.recent = append(c.recent, batch{objects, time.Now()})
}

// sendRecent writes the last batches again.
func (c *class) sendRecent(ctx context.Context, by int) error {
	c.lock.Lock()
	recent := slices.Clone(c.recent)
	c.lock.Unlock()
	for _, b := range recent {
		if err := c.send(ctx, nudged(b.objects, by)); err != nil {
			return err
		}
	}
	return nil
}

// whole reports an error unless every copy of the class is on a node that is there.
func (c *class) whole(ctx context.Context) error {
	copies, err := c.allCopies(ctx)
	if err != nil || copies == 1 {
		return err
	}
	there := 0
	read := func(body []byte) error {
		var answer struct {
			Nodes []struct {
				Status string
				Shards []struct{ Class string }
			}
		}
		there = 0
		err := json.Unmarshal(body, &answer)
		for _, node := range answer.Nodes {
			if node.Status == "HEALTHY" {
				there += len(node.Shards)
			}
		}
		return err
	}
	if err := c.server.call(ctx, readFor, http.MethodGet, "/v1/nodes/"+c.name+"?output=verbose", nil, read); err != nil {
		return err
	}
	if there < copies {
		return fmt.Errorf("%d of its %d parts are on a node that is down; start it again", copies-there, copies)
	}
	return nil
}

// allCopies is how many parts the class has on all nodes together.
func (c *class) allCopies(ctx context.Context) (int, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.copies > 0 {
		return c.copies, nil
	}
	var made struct {
		ShardingConfig    struct{ ActualCount int }
		ReplicationConfig struct{ Factor int }
	}
	read := func(body []byte) error { return json.Unmarshal(body, &made) }
	if err := c.server.call(ctx, readFor, http.MethodGet, "/v1/schema/"+c.name, nil, read); err != nil {
		return 0, err
	}
	c.copies = max(1, made.ShardingConfig.ActualCount) * max(1, made.ReplicationConfig.Factor)
	return c.copies, nil
}
