package wire

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"
)

// The protocols that Client speaks: values of Endpoint.API.
const (
	Chat        = "chat"        // /v1/chat/completions
	Completions = "completions" // /v1/completions
)

// protocol is how one API asks and answers. Each has a file of its own.
//
// An answer is read in three steps that know nothing of each other: a framing
// cuts the bytes into frames, a meaning reads an event out of each, and the
// decoder counts and times what the events hold.
type protocol struct {
	path    func(model string) string // of the measured requests, escaped
	accept  string                    // the media type that is asked for
	headers map[string]string         // more of them, by name
	// encode gives a body for json.Marshal, without messages where p.Body has them.
	encode  func(p Prompt, d Dialect) (any, error)
	lengths []string // top-level fields of a dataset's body that an asked length replaces
	service string   // AWS's name of what serves it, which answers no other questions; empty for all others
	dialect Dialect  // the optional fields to try first
	framing func() framing
	meaning func(request []byte) meaning
	closing string // what says that an answer is whole, in words
	whole   bool   // answers come in one piece: they have no tokens
	chats   bool   // prompts go through the model's chat template
}

// protocols is all of them, in the order in which they are listed.
var protocols = []struct {
	name string
	*protocol
}{
	{Chat, chatProtocol},
	{Completions, completionsProtocol},
	{Responses, responsesProtocol},
	{Messages, messagesProtocol},
	{Embeddings, embeddingsProtocol},
	{Rerank, rerankProtocol},
	{BedrockConverse, bedrockProtocol},
	{SageMaker, sagemakerProtocol},
	{OllamaChat, ollamaChatProtocol},
	{OllamaGenerate, ollamaGenerateProtocol},
	{TGI, tgiProtocol},
}

// APIs are the names of all protocols.
func APIs() []string {
	names := make([]string, len(protocols))
	for i, p := range protocols {
		names[i] = p.name
	}
	return names
}

// Streams reports an API whose answers come token by token.
func Streams(api string) bool {
	p, err := protocolOf(api)
	return err == nil && !p.whole
}

func protocolOf(api string) (*protocol, error) {
	for _, p := range protocols {
		if p.name == api {
			return p.protocol, nil
		}
	}
	return nil, fmt.Errorf("api %q: it is one of %s", api, strings.Join(APIs(), ", "))
}

// fixed is the path of a protocol that names the model in the body.
func fixed(path string) func(string) string { return func(string) string { return path } }

// frame is one message of an answer. Its bytes are valid until the framing is
// fed again.
type frame struct {
	name []byte // of the event, where the framing gives them names
	data []byte
}

// framing cuts the body of one answer into frames, whatever way the network cut
// it.
type framing interface {
	// begins judges by its first bytes whether a body is in this framing at all;
	// ended says that nothing follows.
	begins(begin []byte, ended bool) verdict
	// feed takes the next bytes and gives each frame that they complete to emit.
	// It stops at emit's first error and returns it.
	feed(b []byte, emit func(frame) error) error
	// finish ends the answer: what stands unfinished is given to emit. The end may
	// have cut it, and if the connection broke it has.
	finish(broken bool, emit func(frame) error) error
	// describe notes what the framing was like.
	describe(*Facts)
	// oddity is the first thing that this framing does not know, empty for none.
	oddity() string
}

// meaning reads the frames of one answer.
type meaning interface {
	// read gives what a frame says. An error that wraps errNotJSON is a frame that
	// cannot be read. The event is valid until p is used again.
	read(p *fastjson.Parser, f frame) (event, error)
}
