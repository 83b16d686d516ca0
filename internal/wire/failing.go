package wire

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"
)

// failureIn is the failure that a JSON body tells of, empty for none; bare as
// in failureOf.
func failureIn(body []byte, bare bool) string {
	v, err := fastjson.ParseBytes(bytes.TrimPrefix(bytes.TrimSpace(body), byteOrderMark))
	if err != nil {
		return ""
	}
	if v.Type() == fastjson.TypeArray { // some gateways wrap their error in a list
		v = v.Get("0")
	}
	if v == nil {
		return ""
	}
	return failureOf(v, bare)
}

// failureOf is the words of an error object in any of the shapes that servers
// use, empty for no error: {"error": {"message"}}, {"error": "text"},
// {"errors": [...]}, {"object": "error", "message"}, {"detail"}. An error is one
// whatever its words. Bare is an object that holds nothing that an answer
// does: there a message, code or status alone is an error, too.
func failureOf(v *fastjson.Value, bare bool) string {
	o, err := v.Object()
	if err != nil {
		return ""
	}
	var told, said *fastjson.Value // the error itself; the words beside it
	failed := false
	o.Visit(func(key []byte, value *fastjson.Value) {
		switch classOf(key) {
		case errorKey:
			if stands(value) && !(len(key) == len("errors") && isEmptyList(value)) {
				told, failed = value, true
			}
		case kindKey:
			failed = failed || bytes.EqualFold(value.GetStringBytes(), []byte("error"))
		case wordsKey:
			if stands(value) {
				said = value
				failed = failed || bare
			}
		case codeKey:
			failed = failed || bare && stands(value)
		}
	})
	if !failed {
		return ""
	}
	words := ""
	if told != nil {
		words = wordsOf(told)
	} else if said != nil {
		words = wordsOf(said)
	}
	if oneLine(words, maxDetail) == "" {
		return "an error without words: " + v.String()
	}
	return words
}

// class is what a key of an object says of a failure.
type class int

const (
	otherKey class = iota
	errorKey       // holds the error
	kindKey        // names the object an error
	wordsKey       // tells of it
	codeKey        // counts it
)

func classOf(key []byte) class {
	switch len(key) { // nearly no key goes further
	case 4:
		switch {
		case named(key, "code"):
			return codeKey
		case named(key, "type"):
			return kindKey
		}
	case 5, 6:
		switch {
		case named(key, "error"), named(key, "errors"):
			return errorKey
		case named(key, "object"):
			return kindKey
		case named(key, "detail"):
			return wordsKey
		case named(key, "status"):
			return codeKey
		}
	case 7:
		if named(key, "message") {
			return wordsKey
		}
	}
	return otherKey
}

// named compares a key as servers write it: some begin theirs with a capital.
func named(key []byte, name string) bool { return strings.EqualFold(string(key), name) }

// stands reports a value that is not there to say that there is none.
func stands(v *fastjson.Value) bool {
	return v.Type() != fastjson.TypeNull && v.Type() != fastjson.TypeFalse
}

func isEmptyList(v *fastjson.Value) bool {
	list, err := v.Array()
	return err == nil && len(list) == 0
}

// wordsOf is the message in an error, else the whole of it.
func wordsOf(v *fastjson.Value) string {
	switch v.Type() {
	case fastjson.TypeString:
		return clip(v.GetStringBytes())
	case fastjson.TypeObject:
		for _, name := range []string{"message", "Message", "detail"} {
			if m := v.GetStringBytes(name); len(m) > 0 {
				return clip(m)
			}
		}
	case fastjson.TypeArray:
		if list := v.GetArray(); len(list) == 1 {
			return wordsOf(list[0])
		}
	}
	return v.String()
}

// outcome of a choice, by its finish_reason.
type ending int

const (
	endedWell ending = iota // or not yet
	endedAborted
	endedFailed
)

// reasonOf reads a finish_reason. Some servers give an object that holds it.
func reasonOf(v *fastjson.Value) []byte {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	switch v.Type() {
	case fastjson.TypeString:
		return v.GetStringBytes()
	case fastjson.TypeObject:
		if kind := v.GetStringBytes("type"); len(kind) > 0 {
			return kind
		}
	}
	return v.MarshalTo(nil)
}

func endingOf(reason []byte) ending {
	lower := bytes.ToLower(reason[:min(len(reason), longestName)])
	switch {
	case bytes.HasPrefix(lower, []byte("abort")), bytes.HasPrefix(lower, []byte("cancel")):
		return endedAborted
	case bytes.Contains(lower, []byte("error")), bytes.Equal(lower, []byte("failed")):
		return endedFailed
	}
	return endedWell
}
