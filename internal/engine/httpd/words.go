package httpd

import (
	"fmt"
	"strings"

	"assay/internal/engine"
)

// vocabulary is the words that the engine writes: one token each, with the
// space before it. None is longer than wordLetters, so that the tokenizer reads
// an answer as the tokens that made it.
var vocabulary = strings.Fields(`
the of and to in a is that for it as was with be by on not he this are or his
from at which but have an had they you were their one all we can her has there
been if more when will would who so no out up into do any its then could new
some time these two may first only now like other than my over most even such
our me through where must after own many before well back much also way made
each just those people how too good very make world still see men work long get
here both life being under never day same last might us great go year come since
state against right take used three place home think water small number found
going hand school often part old high house every small night set end put head
left began almost though city read told given general keep four light name knew
boy half later among side best line form want early soon young until turned face
far early need case once five large group course money seems power open body
door room next white idea study order least thing women war social problem plan
human public local cost study clear field feel words heart sense within voice
table air mind able road car real care moment short force rate street full word
seven during nature level model token sample river stone green paper glass music
summer winter garden bridge market letter memory corner window simple narrow
quiet steady bright yellow silver copper orange purple castle forest island
harbor village valley meadow canyon desert engine wheel signal vector matrix
number`)

// words holds the text of each output token, and its id by text.
var words, wordIDs = func() ([]string, map[string]uint32) {
	texts := make([]string, 0, engine.OutputTokens)
	ids := make(map[string]uint32, engine.OutputTokens)
	for _, w := range vocabulary {
		text := " " + w
		if _, seen := ids[text]; seen || len(w) > wordLetters || len(texts) == engine.OutputTokens {
			continue
		}
		ids[text] = engine.FirstOutputToken + uint32(len(texts))
		texts = append(texts, text)
	}
	if len(texts) != engine.OutputTokens {
		panic(fmt.Sprintf("the vocabulary has %d words, the engine writes %d", len(texts), engine.OutputTokens))
	}
	return texts, ids
}()

// wordOf is the text of an output token; that of EOS is empty.
func wordOf(token uint32) string {
	i := token - engine.FirstOutputToken
	if int64(token) < int64(engine.FirstOutputToken) || int(i) >= len(words) {
		return ""
	}
	return words[i]
}
