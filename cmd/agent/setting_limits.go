package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
)

// limitTable lists the settings of llm.ControlOptions. What a wrapper takes
// for its default when it is 0 is -1 there.
func limitTable() []setting {
	number := func(key, about string, least int, field func(*llm.ControlOptions) *int) setting {
		return setting{
			key: "model_limits." + key, about: about, example: "100",
			set: func(p *parser, s *settings, from origin, text string) {
				n := p.count(from, text, least)
				if n == 0 {
					n = -1
				}
				*field(&s.limits) = n
			},
			show: func(s *settings) string {
				switch n := *field(&s.limits); n {
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
	length := func(key, about string, least time.Duration, field func(*llm.ControlOptions) *time.Duration) setting {
		return setting{
			key: "model_limits." + key, about: about,
			set: func(p *parser, s *settings, from origin, text string) {
				d := p.duration(from, text, least)
				if d == 0 {
					d = -1
				}
				*field(&s.limits) = d
			},
			show: func(s *settings) string { return max(*field(&s.limits), 0).String() },
		}
	}
	money := func(key, about string, field func(*llm.ControlOptions) *float64) setting {
		return setting{
			key: "model_limits." + key, about: about, example: "0.5",
			set: func(p *parser, s *settings, from origin, text string) {
				*field(&s.limits) = p.amount(from, text, false)
			},
			show: func(s *settings) string {
				if *field(&s.limits) == 0 {
					return "" // no bound
				}
				return decimal(*field(&s.limits))
			},
		}
	}
	return []setting{
		number("concurrency", "Calls at once.", 1, func(o *llm.ControlOptions) *int { return &o.Concurrency }),
		number("max_retries", "How often a call that failed is made again.", 0, func(o *llm.ControlOptions) *int { return &o.Retry.MaxRetries }),
		length("backoff_base", "The wait before the first repetition; it doubles.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Retry.Base }),
		length("backoff_jitter_max", "What chance adds to each wait, at most.", 0, func(o *llm.ControlOptions) *time.Duration { return &o.Retry.JitterMax }),
		length("timeout", "Of each attempt.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Timeout }),
		number("requests_per_minute", "Calls a minute; unbounded by default.", 1, func(o *llm.ControlOptions) *int { return &o.Rate.RequestsPerMinute }),
		number("tokens_per_minute", "Tokens a minute, read and written; unbounded by default.", 1, func(o *llm.ControlOptions) *int { return &o.Rate.TokensPerMinute }),
		number("max_calls", "Calls of one question; unbounded by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxCalls }),
		number("max_tokens", "Tokens of one question, read and written; unbounded by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxTokens }),
		money("max_money", "What one question may cost, in the currency of prices; unbounded by default.", func(o *llm.ControlOptions) *float64 { return &o.Budget.MaxMoney }),
		number("max_session_calls", "Calls of all questions of a session; unbounded by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.Session.MaxCalls }),
		number("max_session_tokens", "Tokens of all questions of a session; unbounded by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.Session.MaxTokens }),
		money("max_session_money", "What all questions of a session may cost; unbounded by default.", func(o *llm.ControlOptions) *float64 { return &o.Budget.Session.MaxMoney }),
		number("circuit_failures", "Attempts in a row that must fail before a model is left alone for a time; 0 never leaves it.", 0, func(o *llm.ControlOptions) *int { return &o.Circuit.Failures }),
		length("circuit_pause", "How long it is left alone.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Circuit.Pause }),
	}
}

// keyPrices is the section whose keys are models' names.
const keyPrices = "prices"

// priceParts are what is said of a model's price.
var priceParts = []string{"input", "output"}

// pricesSetting is the section of prices.
func pricesSetting(a *cli.App) setting {
	return setting{
		key: keyPrices, example: "openai:gpt-4.1-mini: {input: 0.40, output: 1.60}",
		about: "What a model costs per million tokens, in any one currency; a model without a price counts as unknown.",
		show:  func(*settings) string { return "" },
		within: func(key string) setting {
			model := strings.TrimPrefix(key, keyPrices+".")
			for _, part := range priceParts {
				if name, ok := strings.CutSuffix(model, "."+part); ok {
					return priceSetting(a, name, part)
				}
			}
			return setting{key: key} // the reader of the configuration makes none such
		},
		given: func(s *settings) []string {
			var keys []string
			for _, model := range slices.Sorted(maps.Keys(s.limits.Prices)) {
				for _, part := range priceParts {
					keys = append(keys, keyPrices+"."+model+"."+part)
				}
			}
			return keys
		},
	}
}

// priceSetting is one part of a model's price.
func priceSetting(a *cli.App, model, part string) setting {
	of := func(price *llm.Price) *float64 {
		if part == priceParts[0] {
			return &price.Input
		}
		return &price.Output
	}
	return setting{
		key: keyPrices + "." + model + "." + part,
		set: func(p *parser, s *settings, from origin, text string) {
			if err := checkModel(a, model); err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			} else if a.Models[model] != nil {
				p.fail(cli.Usagef("%s: %s costs nothing and needs no price", from, model))
			}
			if s.limits.Prices == nil {
				s.limits.Prices = llm.Prices{}
			}
			price := s.limits.Prices[model]
			*of(&price) = p.amount(from, text, true)
			s.limits.Prices[model] = price
		},
		show: func(s *settings) string {
			price := s.limits.Prices[model]
			return decimal(*of(&price))
		},
	}
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// unpriced returns a *llm.PriceError when a bound on money cannot be kept for
// a model, so that this is told before anything is asked.
func (s settings) unpriced(model string) error {
	b := s.limits.Budget
	if _, ok := s.limits.Prices[model]; !ok && (b.MaxMoney > 0 || b.Session.MaxMoney > 0) {
		return &llm.PriceError{Model: model}
	}
	return nil
}
