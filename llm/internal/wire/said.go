package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/assay/llm"
)

// said reads the message, code and parameter of an error from a body: from an object under "error",
// a text under "error", or the top level. For any other body the message is its first line.
func said(body []byte) (message, code, param string) {
	type detail struct {
		Message json.RawMessage `json:"message"`
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
		Status  json.RawMessage `json:"status"`
		Param   json.RawMessage `json:"param"`
	}
	var top struct {
		detail
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &top); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
		return strings.ToValidUTF8(line, "�"), "", ""
	}
	d := top.detail
	if text := text(top.Error); text != "" {
		message = text
	} else if bytes.HasPrefix(top.Error, []byte("{")) {
		var inner detail
		if err := json.Unmarshal(top.Error, &inner); err == nil {
			d = inner
		}
	}
	if message == "" {
		message = text(d.Message)
	}
	for _, field := range []json.RawMessage{d.Code, d.Status, d.Type} {
		if code = text(field); code != "" {
			break
		}
	}
	return message, code, text(d.Param)
}

// text returns the string in a JSON value, or "" for another value.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// maxWait bounds what a server can ask for, so no sum overflows.
const maxWait = 24 * time.Hour

// retryAfter reads the Retry-After header: seconds, or a date relative to now. An invalid or past
// value is 0; more than a day is a day.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		if !(seconds > 0) { // also NaN
			return 0
		}
		return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, at.Sub(now)), maxWait)
	}
	return 0
}

// Plain returns the typed error in the chain of a client library's error, and whether there is one.
func Plain(err error) (error, bool) {
	if e, ok := errors.AsType[*llm.StatusError](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*llm.ConnectionError](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*llm.ResponseError](err); ok {
		return e, true
	}
	return nil, false
}
