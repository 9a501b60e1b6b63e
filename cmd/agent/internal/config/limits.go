package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
)

// limitTable lists the settings of llm.ControlOptions. Where 0 would mean a wrapper's
// default, a configured 0 is stored as -1.
func limitTable() []Setting {
	number := func(key, about string, least int, field func(*llm.ControlOptions) *int) Setting {
		return Setting{
			key: "model_limits." + key, about: about, example: "100",
			set: func(p *parser, s *Settings, from origin, text string) {
				n := p.count(from, text, least)
				if n == 0 {
					n = -1
				}
				*field(&s.Limits) = n
			},
			show: func(s *Settings) string {
				switch n := *field(&s.Limits); n {
				case 0:
					return "" // no bound
				case -1:
					return "0"
				default:
					return strconv.Itoa(n)
				}
			},
		}
	}
	length := func(key, about string, least time.Duration, field func(*llm.ControlOptions) *time.Duration) Setting {
		return Setting{
			key: "model_limits." + key, about: about,
			set: func(p *parser, s *Settings, from origin, text string) {
				d := p.duration(from, text, least)
				if d == 0 {
					d = -1
				}
				*field(&s.Limits) = d
			},
			show: func(s *Settings) string { return max(*field(&s.Limits), 0).String() },
		}
	}
	money := func(key, about string, field func(*llm.ControlOptions) *float64) Setting {
		return Setting{
			key: "model_limits." + key, about: about, example: "0.5",
			set: func(p *parser, s *Settings, from origin, text string) {
				*field(&s.Limits) = p.amount(from, text, false)
			},
			show: func(s *Settings) string {
				if *field(&s.Limits) == 0 {
					return "" // no bound
				}
				return decimal(*field(&s.Limits))
			},
		}
	}
	return []Setting{
		number("concurrency", "Calls at the same time.", 1, func(o *llm.ControlOptions) *int { return &o.Concurrency }),
		number("max_retries", "How often a failed call is retried.", 0, func(o *llm.ControlOptions) *int { return &o.Retry.MaxRetries }),
		length("backoff_base", "The wait before the first retry; it doubles with each further one.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Retry.Base }),
		length("backoff_jitter_max", "The largest random addition to each wait.", 0, func(o *llm.ControlOptions) *time.Duration { return &o.Retry.JitterMax }),
		length("timeout", "The time limit of each attempt.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Timeout }),
		number("requests_per_minute", "Calls per minute; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Rate.RequestsPerMinute }),
		number("tokens_per_minute", "Tokens per minute, read and written; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Rate.TokensPerMinute }),
		number("max_calls", "Calls of one question; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxCalls }),
		number("max_tokens", "Tokens of one question, read and written; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxTokens }),
		money("max_money", "What one question may cost, in the currency of prices; unlimited by default.", func(o *llm.ControlOptions) *float64 { return &o.Budget.MaxMoney }),
		number("max_tool_calls", "Calls of tools of MCP servers of one question.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxToolCalls }),
		number("max_session_calls", "Calls of all questions of a session; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.Session.MaxCalls }),
		number("max_session_tokens", "Tokens of all questions of a session; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.Session.MaxTokens }),
		money("max_session_money", "What all questions of a session may cost; unlimited by default.", func(o *llm.ControlOptions) *float64 { return &o.Budget.Session.MaxMoney }),
		number("circuit_failures", "After how many failed attempts in a row a model is not called for a while; 0 for never.", 0, func(o *llm.ControlOptions) *int { return &o.Circuit.Failures }),
		length("circuit_pause", "How long it is then not called.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Circuit.Pause }),
	}
}

// KeyPrices is the section whose keys are models' names.
const KeyPrices = "prices"

// priceParts are the keys of a model's price.
var priceParts = []string{"input", "output"}

// pricesSetting is the section of prices.
func pricesSetting(a *cli.App) Setting {
	return Setting{
		key: KeyPrices, example: "openai:gpt-4.1-mini: {input: 0.40, output: 1.60}",
		about: "What each model costs per million tokens, all in the same currency; the cost of a model without a price is unknown.",
		show:  func(*Settings) string { return "" },
		within: func(key string) Setting {
			model := strings.TrimPrefix(key, KeyPrices+".")
			for _, part := range priceParts {
				if name, ok := strings.CutSuffix(model, "."+part); ok {
					return priceSetting(a, name, part)
				}
			}
			return Setting{key: key} // the reader of the configuration makes no such key
		},
		given: func(s *Settings) []string {
			var keys []string
			for _, model := range slices.Sorted(maps.Keys(s.Limits.Prices)) {
				for _, part := range priceParts {
					keys = append(keys, KeyPrices+"."+model+"."+part)
				}
			}
			return keys
		},
	}
}

// priceSetting is one part of a model's price.
func priceSetting(a *cli.App, model, part string) Setting {
	of := func(price *llm.Price) *float64 {
		if part == priceParts[0] {
			return &price.Input
		}
		return &price.Output
	}
	return Setting{
		key: KeyPrices + "." + model + "." + part,
		set: func(p *parser, s *Settings, from origin, text string) {
			if err := checkModel(a, model); err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			} else if a.Models[model] != nil {
				p.fail(cli.Usagef("%s: %s costs nothing and needs no price", from, model))
			}
			if s.Limits.Prices == nil {
				s.Limits.Prices = llm.Prices{}
			}
			price := s.Limits.Prices[model]
			*of(&price) = p.amount(from, text, true)
			s.Limits.Prices[model] = price
		},
		show: func(s *Settings) string {
			price := s.Limits.Prices[model]
			return decimal(*of(&price))
		},
	}
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Unpriced returns a *llm.PriceError when a limit on money is set and a model has no
// price, so that this is reported before any call.
func (s Settings) Unpriced(model string) error {
	b := s.Limits.Budget
	if _, ok := s.Limits.Prices[model]; !ok && (b.MaxMoney > 0 || b.Session.MaxMoney > 0) {
		return &llm.PriceError{Model: model}
	}
	return nil
}
