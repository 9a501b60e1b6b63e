package langchain

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"example.com/assay/llm"
)

// statuses are the HTTP statuses that the library's codes stand for.
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

// failed turns an error of the library into ours, by its type.
func (m *model) failed(err error) error {
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
