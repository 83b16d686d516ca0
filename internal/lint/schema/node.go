package schema

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"
)

// node is one schema, as OpenAPI writes it, cut to what is checked. After it was read
// it is never changed.
type node struct {
	Ref        string           `json:"$ref"`
	Type       string           `json:"type"`
	Format     string           `json:"format"`
	Nullable   bool             `json:"nullable"`
	Properties map[string]*node `json:"properties"`
	Required   []string         `json:"required"`
	Additional *additional      `json:"additionalProperties"`
	Items      *node            `json:"items"`
	Enum       []any            `json:"enum"`
	Pattern    string           `json:"pattern"`
	Default    json.RawMessage  `json:"default"`

	Minimum          *float64 `json:"minimum"`
	Maximum          *float64 `json:"maximum"`
	ExclusiveMinimum bool     `json:"exclusiveMinimum"`
	ExclusiveMaximum bool     `json:"exclusiveMaximum"`
	MultipleOf       *float64 `json:"multipleOf"`
	MinLength        *int     `json:"minLength"`
	MaxLength        *int     `json:"maxLength"`
	MinItems         *int     `json:"minItems"`
	MaxItems         *int     `json:"maxItems"`
	MinProperties    *int     `json:"minProperties"`
	MaxProperties    *int     `json:"maxProperties"`
	UniqueItems      bool     `json:"uniqueItems"`

	AllOf []*node `json:"allOf"`
	AnyOf []*node `json:"anyOf"`
	OneOf []*node `json:"oneOf"`
	Not   *node   `json:"not"`

	IntOrString bool            `json:"x-kubernetes-int-or-string"`
	Open        bool            `json:"x-kubernetes-preserve-unknown-fields"`
	Embedded    bool            `json:"x-kubernetes-embedded-resource"`
	ListType    string          `json:"x-kubernetes-list-type"`
	ListKeys    []string        `json:"x-kubernetes-list-map-keys"`
	Rules       json.RawMessage `json:"x-kubernetes-validations"`

	quantity bool // of Kubernetes: 500m, 16Gi, a number
	bytes    bool // base64
	builtIn  bool // null is absent, and no default stands in for what is required
}

// additional is what a mapping holds under any key.
type additional struct{ node *node }

// UnmarshalJSON takes a schema, or true for anything.
func (a *additional) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("true")) {
		a.node = &node{Open: true}
		return nil
	}
	if bytes.Equal(text, []byte("false")) {
		return nil
	}
	a.node = &node{}
	return json.Unmarshal(text, a.node)
}

// entries is what a mapping holds under keys that it does not name; nil: none.
func (n *node) entries() *node {
	if n.Additional == nil {
		return nil
	}
	return n.Additional.node
}

// patterns are compiled once each: the same few stand in many schemas.
var patterns sync.Map

// matches holds a text against a pattern; one that does not compile matches all, as no
// server would serve it.
func matches(pattern, text string) bool {
	re, ok := patterns.Load(pattern)
	if !ok {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			compiled = regexp.MustCompile("")
		}
		re, _ = patterns.LoadOrStore(pattern, compiled)
	}
	return re.(*regexp.Regexp).MatchString(text)
}
