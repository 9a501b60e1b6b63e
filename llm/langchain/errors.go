package langchain

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// statuses are the HTTP statuses for the library's codes.
var statuses = map[llms.ErrorCode]int{
	llms.ErrCodeAuthentication:      http.StatusUnauthorized,
	llms.ErrCodeRateLimit:           http.StatusTooManyRequests,
	llms.ErrCodeQuotaExceeded:       http.StatusTooManyRequests,
	llms.ErrCodeInvalidRequest:      http.StatusBadRequest,
	llms.ErrCodeResourceNotFound:    http.StatusNotFound,
	llms.ErrCodeTimeout:             http.StatusRequestTimeout,
	llms.ErrCodeProviderUnavailable: http.StatusServiceUnavailable,
	llms.ErrCodeNotImplemented:      http.StatusBadRequest,
}

// failed converts an error of the library by its type. An error of this module in its chain, as
// from Wrap, is returned as it is.
func (m *model) failed(err error) error {
	if plain, ok := wire.Plain(err); ok {
		return plain
	}
	if e, ok := errors.AsType[*llm.BlockedError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*llm.TruncatedError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*llm.UnsupportedError](err); ok {
		return e
	}
	said := m.scrub(err.Error())
	if e, ok := errors.AsType[*llms.Error](err); ok {
		switch e.Code {
		case llms.ErrCodeContentFilter:
			return &llm.BlockedError{Provider: m.opts.Provider, Model: m.opts.Name, Reason: "content_filter", Message: said}
		case llms.ErrCodeTokenLimit:
			return &llm.TruncatedError{Provider: m.opts.Provider, Model: m.opts.Name}
		}
		if status, ok := statuses[e.Code]; ok {
			out := &llm.StatusError{Provider: m.opts.Provider, Status: status, Message: said, Code: string(e.Code)}
			if e.Code == llms.ErrCodeQuotaExceeded {
				out.Code = "insufficient_quota" // which is not retried
			}
			return out
		}
	}
	_, network := errors.AsType[net.Error](err)
	if network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &llm.ConnectionError{Provider: m.opts.Provider, Err: errors.New(said)}
	}
	return m.asking(errors.New(said))
}

func (m *model) scrub(text string) string {
	for _, secret := range m.opts.Secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[key]")
		}
	}
	return llm.Cut(text, 300)
}

// codes are the library's codes for HTTP statuses.
var codes = map[int]llms.ErrorCode{
	http.StatusBadRequest:          llms.ErrCodeInvalidRequest,
	http.StatusUnauthorized:        llms.ErrCodeAuthentication,
	http.StatusForbidden:           llms.ErrCodeAuthentication,
	http.StatusNotFound:            llms.ErrCodeResourceNotFound,
	http.StatusRequestTimeout:      llms.ErrCodeTimeout,
	http.StatusUnprocessableEntity: llms.ErrCodeInvalidRequest,
	http.StatusTooManyRequests:     llms.ErrCodeRateLimit,
}

// theirs wraps an error of this module in an error with the library's code.
func theirs(err error) error {
	code, provider := llms.ErrCodeUnknown, ""
	if e, ok := errors.AsType[*llm.StatusError](err); ok {
		provider = e.Provider
		if code = codes[e.Status]; code == "" && e.Status >= 500 {
			code = llms.ErrCodeProviderUnavailable
		} else if e.Code == "insufficient_quota" {
			code = llms.ErrCodeQuotaExceeded
		}
	} else if e, ok := errors.AsType[*llm.BlockedError](err); ok {
		code, provider = llms.ErrCodeContentFilter, e.Provider
	} else if e, ok := errors.AsType[*llm.TruncatedError](err); ok {
		code, provider = llms.ErrCodeTokenLimit, e.Provider
	} else if e, ok := errors.AsType[*llm.UnsupportedError](err); ok {
		code, provider = llms.ErrCodeNotImplemented, e.Provider
	} else if e, ok := errors.AsType[*llm.ConnectionError](err); ok {
		code, provider = llms.ErrCodeProviderUnavailable, e.Provider
	} else if errors.Is(err, context.Canceled) {
		code = llms.ErrCodeCanceled
	} else if _, ok := errors.AsType[*llm.TimeoutError](err); ok || errors.Is(err, context.DeadlineExceeded) {
		code = llms.ErrCodeTimeout
	}
	if code == "" {
		code = llms.ErrCodeUnknown
	}
	return llms.NewError(code, provider, err.Error()).WithCause(err)
}
