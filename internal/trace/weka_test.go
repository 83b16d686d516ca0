package trace

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const wekaSample = `{"id": "c1", "models": ["m"], "block_size": 64, "hash_id_scope": "local", "tool_tokens": 100, "system_tokens": 20,
 "requests": [
  {"t": 0.0, "type": "s", "model": "m", "in": 130, "out": 5, "hash_ids": [1, 2], "stop": "tool_use", "api_time": 2.0, "ttft": 0.5},
  {"t": 10.0, "type": "subagent", "agent_id": "agent_001", "subagent_type": "Explore", "status": "completed", "models": ["n"],
   "requests": [{"t": 0.0, "type": "n", "model": "n", "in": 64, "out": 1, "hash_ids": [1]}, {"t": 8.0, "type": "n", "model": "n", "in": 70, "out": 1, "hash_ids": [1], "think_time": 1.5}]},
  {"t": 12.5, "type": "n", "model": "m", "in": 200, "out": 7, "hash_ids": [1, 2, 3]}
 ]}
`

func TestWEKA(t *testing.T) {
	r := open(t, wekaSample+strings.ReplaceAll(strings.ReplaceAll(wekaSample, "c1", "c2"), `"local"`, `"global"`), Options{})
	got, err := all(r)
	if err != nil {
		t.Fatal(err)
	}
	row := func(clock, session, scope string, turn, at, in, out int, model string, blocks ...uint64) Row {
		return Row{
			At: ms(at), Clock: clock, Session: session, Scope: scope, Turn: turn, Model: model,
			PromptTokens: &in, OutputTokens: &out, Blocks: blocks, BlockSize: 64,
		}
	}
	var want []Row
	for _, c := range []struct{ id, scope, agent string }{{"c1", "c1", "c1/agent_001"}, {"c2", "", ""}} {
		parent := row(c.id, c.id, c.scope, 0, 0, 130, 5, "m", 1, 2)
		parent.Latency, parent.TTFT = ms(2000), ms(500)
		next := row(c.id, c.id, c.scope, 1, 12_500, 200, 7, "m", 1, 2, 3)
		next.Delay = ms(10_500) // from the answer's end
		second := row(c.id, c.id+"/agent_001", c.agent, 1, 18_000, 70, 1, "n", 1)
		second.Delay = ms(1500)
		want = append(want, parent, row(c.id, c.id+"/agent_001", c.agent, 0, 10_000, 64, 1, "n", 1), next, second)
	}
	if diff := cmp.Diff(want, got, noPlace); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if r.Kind() != WEKA {
		t.Errorf("kind %s", r.Kind())
	}
}

// Some published sets count the requests of an agent from the conversation's
// start, others from the agent's own.
func TestWEKAAgentsOnTheConversationsClock(t *testing.T) {
	for name, first := range map[string]string{"own clock": "0.5", "the conversation's": "10.5"} {
		t.Run(name, func(t *testing.T) {
			r := open(t, `{"id":"c","block_size":64,"requests":[{"t":10,"type":"subagent","agent_id":"a","requests":[{"t":`+first+`,"type":"n","in":1,"out":1}]}]}`, Options{})
			rows, err := all(r)
			if err != nil {
				t.Fatal(err)
			}
			if want := 10*time.Second + 500*time.Millisecond; len(rows) != 1 || *rows[0].At != want {
				t.Errorf("got %+v, want one at %v", rows, want)
			}
		})
	}
}
