package a2a

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/assay/graph/store"
	"example.com/assay/serve/runs"
)

// maxPush is how many addresses are told of a task.
const maxPush = 10

// pushes is the namespace of the records of addresses that are told of a task.
func pushes(s *runs.Space, id string) []string { return append(s.Records(wire), id) }

func pushesOf(ctx context.Context, s *runs.Space, id string) (out []*a2a.PushConfig, err error) {
	found, err := s.Store.Search(ctx, store.Query{Namespace: pushes(s, id), Limit: maxPush})
	for _, item := range found {
		one, failed := store.Decode[a2a.PushConfig](item.Item)
		out, err = append(out, &one), errors.Join(err, failed)
	}
	return out, err
}

// keep keeps an address as long as runs are kept.
func (c *call) keep(in *a2a.PushConfig) error {
	for _, text := range []string{in.Token, auth(in)} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%w: token and authentication must have no control characters", a2a.ErrInvalidParams)
		}
	}
	if err := c.CheckURL(in.URL); err != nil {
		return err
	}
	others, err := pushesOf(c.ctx(), c.Space, string(in.TaskID))
	if err == nil && len(others) >= maxPush {
		err = fmt.Errorf("%w: a task has at most %d push notification configurations", a2a.ErrInvalidParams, maxPush)
	}
	if err != nil {
		return err
	}
	in.ID = cmp.Or(in.ID, c.NewID())
	return store.Put(c.ctx(), c.Store, pushes(c.Space, string(in.TaskID)), in.ID, in, &store.PutOptions{TTL: c.Keep})
}

// auth is the header Authorization of a notification.
func auth(in *a2a.PushConfig) string {
	if in.Auth == nil {
		return ""
	}
	return strings.TrimSpace(in.Auth.Scheme + " " + in.Auth.Credentials)
}

func (c *call) createPush(in *a2a.PushConfig) (any, error) {
	if _, err := c.task(c.ctx(), in.TaskID); err != nil {
		return nil, err
	}
	return in, c.keep(in)
}

func (c *call) listPushes(in *a2a.ListTaskPushConfigRequest) (any, error) {
	if _, err := c.task(c.ctx(), in.TaskID); err != nil {
		return nil, err
	}
	list, err := pushesOf(c.ctx(), c.Space, string(in.TaskID))
	return a2a.ListTaskPushConfigResponse{Configs: append([]*a2a.PushConfig{}, list...)}, err
}

func (c *call) getPush(in *a2a.GetTaskPushConfigRequest) (any, error) {
	if _, err := c.task(c.ctx(), in.TaskID); err != nil {
		return nil, err
	}
	one, err := store.Get[a2a.PushConfig](c.ctx(), c.Store, pushes(c.Space, string(in.TaskID)), in.ID)
	return one, err
}

func (c *call) deletePush(in *a2a.DeleteTaskPushConfigRequest) (any, error) {
	if _, err := c.task(c.ctx(), in.TaskID); err != nil {
		return nil, err
	}
	return struct{}{}, c.Store.Apply(c.ctx(), store.Op{Namespace: pushes(c.Space, string(in.TaskID)), Key: in.ID})
}

// Tell is a runs.Teller. It tells the addresses of a task when a run of it begins to execute, and
// sends them the task when the run has ended.
func Tell(ctx context.Context, s *runs.Space, r runs.Run) (out []runs.Notice, err error) {
	id := taskOf(&r)
	if id == "" {
		return nil, nil
	}
	list, err := pushesOf(ctx, s, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	c := &call{Space: s, ending: r.Status.Ended()}
	t, err := c.task(ctx, a2a.TaskID(id))
	if errors.Is(err, a2a.ErrTaskNotFound) { // its first run was removed
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	shown, err := c.show(ctx, t, nil, true)
	if err != nil {
		return nil, err
	}
	body := a2a.StreamResponse{Event: shown}
	if !c.ending {
		body.Event = &a2a.TaskStatusUpdateEvent{TaskID: shown.ID, ContextID: shown.ContextID, Status: shown.Status}
	}
	for _, one := range list {
		header := map[string]string{"Content-Type": "application/a2a+json"}
		for name, value := range map[string]string{"Authorization": auth(one), "A2A-Notification-Token": one.Token, "X-A2A-Notification-Token": one.Token} {
			if value != "" {
				header[name] = value
			}
		}
		out = append(out, runs.Notice{URL: one.URL, Header: header, Body: encode(body)})
	}
	return out, nil
}
