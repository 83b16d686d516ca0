package httpd

import (
	"net/http"
	"strings"

	"assay/internal/engine"
)

// The answers that are no streams, with every field that vLLM sends.
type (
	chatAnswer struct {
		ID                string       `json:"id"`
		Object            string       `json:"object"`
		Created           int64        `json:"created"`
		Model             string       `json:"model"`
		Choices           []chatChoice `json:"choices"`
		ServiceTier       *string      `json:"service_tier"`
		SystemFingerprint string       `json:"system_fingerprint"`
		Usage             *wholeUsage  `json:"usage"`
		PromptLogprobs    *string      `json:"prompt_logprobs"`
		PromptTokenIDs    *string      `json:"prompt_token_ids"`
		PromptText        *string      `json:"prompt_text"`
		KVTransferParams  *string      `json:"kv_transfer_params"`
		ECTransferParams  *string      `json:"ec_transfer_params"`
		Metrics           *string      `json:"metrics"`
	}
	chatChoice struct {
		Index         int             `json:"index"`
		Message       answeredMessage `json:"message"`
		Logprobs      *string         `json:"logprobs"`
		FinishReason  string          `json:"finish_reason"`
		StopReason    rawJSON         `json:"stop_reason"`
		TokenIDs      *string         `json:"token_ids"`
		RoutedExperts *string         `json:"routed_experts"`
	}
	answeredMessage struct {
		Role         string  `json:"role"`
		Content      string  `json:"content"`
		Refusal      *string `json:"refusal"`
		Annotations  *string `json:"annotations"`
		Audio        *string `json:"audio"`
		FunctionCall *string `json:"function_call"`
		Reasoning    *string `json:"reasoning"`
	}
	textAnswer struct {
		ID                string       `json:"id"`
		Object            string       `json:"object"`
		Created           int64        `json:"created"`
		Model             string       `json:"model"`
		Choices           []textChoice `json:"choices"`
		ServiceTier       *string      `json:"service_tier"`
		SystemFingerprint string       `json:"system_fingerprint"`
		Usage             *wholeUsage  `json:"usage"`
		KVTransferParams  *string      `json:"kv_transfer_params"`
		ECTransferParams  *string      `json:"ec_transfer_params"`
		Metrics           *string      `json:"metrics"`
	}
	textChoice struct {
		Index          int     `json:"index"`
		Text           string  `json:"text"`
		Logprobs       *string `json:"logprobs"`
		FinishReason   string  `json:"finish_reason"`
		StopReason     rawJSON `json:"stop_reason"`
		TokenIDs       *string `json:"token_ids"`
		PromptLogprobs *string `json:"prompt_logprobs"`
		PromptTokenIDs *string `json:"prompt_token_ids"`
		RoutedExperts  *string `json:"routed_experts"`
	}
	wholeUsage struct {
		Prompt            int            `json:"prompt_tokens"`
		Total             int            `json:"total_tokens"`
		Completion        int            `json:"completion_tokens"`
		PromptDetails     *promptDetails `json:"prompt_tokens_details"`
		CompletionDetails *string        `json:"completion_tokens_details"`
	}
	promptDetails struct {
		Cached     int  `json:"cached_tokens"`
		Created    *int `json:"created_cache_tokens"` // null in completions
		Multimodal *int `json:"multimodal_tokens"`
	}
)

// rawJSON is a value that is JSON already.
type rawJSON string

// MarshalJSON returns the value as it is.
func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// outcome is the whole output of one choice.
type outcome struct {
	text      strings.Builder
	reasoning strings.Builder
	finish    engine.Finish
}

// whole collects every token and then answers.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, a *answer) {
	out := &sink{w: w, control: http.NewResponseController(w)}
	outcomes := make([]outcome, len(a.choices))
	used := wholeUsage{Prompt: a.prompt}
	var cache cacheUse
	lastPrompt := len(a.choices) - a.call.choices() // vLLM says of the cache what the last to end of these says
	var tokens []token
	for open := len(a.choices); open > 0; {
		select {
		case <-a.ready:
		case <-s.dead:
			<-r.Context().Done()
			return
		case <-r.Context().Done():
			return
		}
		tokens = a.take(tokens)
		for _, t := range tokens {
			c := t.choice
			if c.finished {
				continue
			}
			o := &outcomes[c.index]
			if t.finish != engine.Abort {
				c.tokens++
				used.Completion++
			}
			text := &o.text
			if a.chat && c.tokens <= a.faults.Reasoning {
				text = &o.reasoning
			}
			text.WriteString(c.text(t))
			if a.faults.ResetAfter == c.tokens && c.tokens > 0 {
				out.reset()
				return
			}
			if a.faults.ErrorAfter == c.tokens && c.tokens > 0 {
				writeError(w, errEngineDead)
				return
			}
			if o.finish = t.finish; o.finish != engine.Running {
				c.finished = true
				open--
				if c.index >= lastPrompt {
					cache = t.cache
				}
			}
		}
	}
	used.Total = used.Prompt + used.Completion
	if s.opt.PromptTokensDetails {
		used.PromptDetails = &promptDetails{Cached: cache.hit}
		if a.chat {
			used.PromptDetails.Created = &cache.created
		}
	}
	writeJSON(w, http.StatusOK, s.body(a, outcomes, &used))
}

func (s *Server) body(a *answer, outcomes []outcome, used *wholeUsage) any {
	if a.faults.NoUsage {
		used = nil
	}
	stop := func(i int) rawJSON {
		if outcomes[i].finish == engine.Stop {
			return rawJSON(a.choices[i].stop)
		}
		return "null"
	}
	if !a.chat {
		answer := textAnswer{ID: a.id, Object: "text_completion", Created: a.created, Model: a.call.Model, SystemFingerprint: fingerprint, Usage: used}
		for i := range outcomes {
			o := &outcomes[i]
			answer.Choices = append(answer.Choices, textChoice{Index: i, Text: o.text.String(), FinishReason: o.finish.String(), StopReason: stop(i)})
		}
		return answer
	}
	answer := chatAnswer{ID: a.id, Object: "chat.completion", Created: a.created, Model: a.call.Model, SystemFingerprint: fingerprint, Usage: used}
	for i := range outcomes {
		o := &outcomes[i]
		m := answeredMessage{Role: "assistant", Content: o.text.String()}
		if o.reasoning.Len() > 0 {
			thought := o.reasoning.String()
			m.Reasoning = &thought
		}
		answer.Choices = append(answer.Choices, chatChoice{Index: i, Message: m, FinishReason: o.finish.String(), StopReason: stop(i)})
	}
	return answer
}
