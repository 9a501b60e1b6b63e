package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/sashabaranov/go-openai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// counting says whether a server counts the tokens of a stream on request.
type counting int

const (
	untried counting = iota
	counts
	refusesToCount // it refuses the field that asks for the count
)

// event judges an event of a stream: an answer is complete with its finish reason. The library
// itself accepts any end of a stream.
func event(data []byte) (wire.Verdict, error) {
	var chunk struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(data, &chunk) != nil {
		return wire.More, nil // the library reports the error
	}
	for _, choice := range chunk.Choices {
		if choice.FinishReason != "" {
			return wire.Whole, nil
		}
	}
	return wire.More, nil
}

// restarting returns an OnText for an answer that several streams may begin again: see begin.
func restarting(onText func(llm.Chunk)) func(llm.Chunk) {
	if onText == nil {
		return nil
	}
	told := false
	return func(c llm.Chunk) {
		c.Again = c.Again && told
		told = true
		onText(c)
	}
}

// stream makes one streamed call, and a second one when the server refuses to count tokens. onText
// learns with each stream's first text that the answer begins again.
func (m *Model) stream(ctx context.Context, client *openai.Client, req openai.ChatCompletionRequest, onText func(llm.Chunk)) (llm.Response, error) {
	counting := m.server.counts()
	if counting != refusesToCount {
		req.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	resp, err := m.streamOnce(ctx, client, req, onText)
	if err == nil && counting == untried {
		m.server.learn(counts)
	}
	if counting != untried || !refuses(err, "stream_options") {
		return resp, err
	}
	req.StreamOptions = nil
	resp, again := m.streamOnce(ctx, client, req, onText)
	switch {
	case again == nil:
		m.server.learn(refusesToCount)
	case refuses(again, "stream_options"):
		return resp, err // the count was not the reason
	}
	return resp, again
}

func (m *Model) streamOnce(ctx context.Context, client *openai.Client, req openai.ChatCompletionRequest, onText func(llm.Chunk)) (llm.Response, error) {
	ctx, outcome := wire.Watch(ctx)
	stream, err := client.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return llm.Response{}, m.failed(ctx, err)
	}
	answer := streamed{onText: onText}
	for err == nil {
		var chunk openai.ChatCompletionStreamResponse
		if chunk, err = stream.Recv(); err == nil {
			answer.add(chunk)
		}
	}
	_ = stream.Close() // the body of package wire returns no error
	usage := llm.Response{Usage: answer.usage}
	switch lost := outcome.Err(); {
	case ctx.Err() != nil || lost != nil:
		return usage, m.failed(ctx, lost)
	case !errors.Is(err, io.EOF):
		return usage, m.failed(ctx, err)
	case !answer.begun:
		return usage, &llm.ResponseError{Provider: m.server.provider, Err: errors.New("it is not a stream, which was asked for")}
	}
	return m.answer(answer.finish, answer.refusal.String(), llm.Response{
		Text: answer.text.String(), Calls: toolCalls(answer.calls), Reasoning: answer.reasoning.String(), Model: answer.model, Usage: answer.usage,
	})
}

// streamed is a streamed answer under construction.
type streamed struct {
	onText func(llm.Chunk)

	begun, told   bool
	model         string
	text, refusal strings.Builder
	reasoning     strings.Builder
	calls         []openai.ToolCall
	finish        openai.FinishReason
	usage         llm.Usage
}

func (s *streamed) add(chunk openai.ChatCompletionStreamResponse) {
	if chunk.Model != "" {
		s.model = chunk.Model
	}
	if u := chunk.Usage; u != nil { // some servers count in every chunk
		s.usage = llm.Usage{InputTokens: max(0, u.PromptTokens), OutputTokens: max(0, u.CompletionTokens)}
	}
	for _, choice := range chunk.Choices {
		s.begun = true
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != "" {
			s.finish = choice.FinishReason
		}
		s.refusal.WriteString(choice.Delta.Refusal)
		s.reasoning.WriteString(choice.Delta.ReasoningContent)
		for _, call := range choice.Delta.ToolCalls {
			s.call(call)
		}
		if text := choice.Delta.Content; text != "" {
			s.text.WriteString(text)
			s.onText(llm.Chunk{Text: text, Again: !s.told})
			s.told = true
		}
	}
}

// call adds a piece of a tool call to the call with its index. A server without indexes begins each
// call with an ID, or sends it whole.
func (s *streamed) call(piece openai.ToolCall) {
	at := -1
	for i, c := range s.calls {
		if piece.Index != nil && c.Index != nil && *c.Index == *piece.Index {
			at = i
		}
	}
	if piece.Index == nil && piece.ID == "" && piece.Function.Name == "" {
		at = len(s.calls) - 1
	}
	if at < 0 {
		s.calls = append(s.calls, piece)
		return
	}
	c := &s.calls[at]
	c.Function.Arguments += piece.Function.Arguments
	if c.ID == "" {
		c.ID = piece.ID
	}
	if c.Function.Name == "" {
		c.Function.Name = piece.Function.Name
	}
}

func (s *Server) counts() counting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counting
}

func (s *Server) learn(c counting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counting = c
}
