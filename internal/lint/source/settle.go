package source

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// settler makes of a parsed document what kubectl reads: of keys that stand twice the
// last one counts, merged mappings are part of the one that merges them, and words such
// as yes are truth values (YAML 1.1). It moves lines from the chunk to the file, and
// counts what aliases expand to.
type settler struct {
	chunk    Chunk
	lines    []int              // see Chunk.lines
	anchored map[*yaml.Node]int // sizes; 0 while the node itself is settled
	problems []Problem
}

// settle is how many values a node holds, at most one more than allowed.
func (s *settler) settle(n *yaml.Node, depth int) int {
	if n.Line == 1 {
		n.Column += s.chunk.Before
	}
	n.Line = s.line(n.Line)
	if n.Kind == yaml.AliasNode {
		if size := s.anchored[n.Alias]; size > 0 {
			return size
		}
		return mostNodes + 1 // it holds itself
	}
	if depth > mostDepth {
		return mostNodes + 1
	}
	if n.Anchor != "" {
		s.anchored[n] = 0
	}
	size := 1
	for _, c := range n.Content {
		if size = min(size+s.settle(c, depth+1), mostNodes+1); size > mostNodes {
			return size
		}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		retag(n)
	case yaml.MappingNode:
		size = min(size+s.mapping(n), mostNodes+1)
	}
	if n.Anchor != "" {
		s.anchored[n] = size
	}
	return size
}

func (s *settler) line(line int) int {
	if s.lines == nil {
		return line + s.chunk.Line - 1
	}
	return s.lines[min(max(line, 0), len(s.lines)-1)]
}

// fewPairs is how many pairs are compared with each other; above, a table is quicker.
const fewPairs = 12

// mapping drops keys that stand twice and takes in what is merged; it says how many
// nodes that adds.
func (s *settler) mapping(n *yaml.Node) int {
	merges := false
	twice := false
	if pairs := len(n.Content) / 2; pairs <= fewPairs {
		for i := 0; i < len(n.Content); i += 2 {
			merges = merges || isMerge(n.Content[i])
			for j := 0; j < i; j += 2 {
				twice = twice || n.Content[i].Value == n.Content[j].Value
			}
		}
	} else {
		seen := make(map[string]bool, pairs)
		for i := 0; i < len(n.Content); i += 2 {
			merges = merges || isMerge(n.Content[i])
			seen[n.Content[i].Value] = true
		}
		twice = len(seen) < pairs
	}
	if !merges && !twice {
		return 0
	}
	before := len(n.Content)
	s.rewrite(n)
	return max(0, len(n.Content)-before)
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0
}

// rewrite makes the pairs of a mapping those that count.
func (s *settler) rewrite(n *yaml.Node) {
	last := map[string]int{}
	var merged []*yaml.Node
	var own []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			merged = append(merged, sources(value)...)
			continue
		}
		if key.Kind == yaml.ScalarNode {
			if at, ok := last[key.Value]; ok {
				s.twice(own[at], key)
				own[at], own[at+1] = key, value
				continue
			}
			last[key.Value] = len(own)
		}
		own = append(own, key, value)
	}
	for _, m := range merged {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if _, ok := last[m.Content[i].Value]; !ok && len(own) < 2*mostNodes {
				last[m.Content[i].Value] = len(own)
				own = append(own, m.Content[i], m.Content[i+1])
			}
		}
	}
	n.Content = own
}

// sources are the mappings that a merge key takes in, the first over later ones.
func sources(v *yaml.Node) []*yaml.Node {
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	if v.Kind == yaml.MappingNode {
		return []*yaml.Node{v}
	}
	var all []*yaml.Node
	for _, c := range v.Content {
		if c.Kind == yaml.AliasNode {
			c = c.Alias
		}
		if c.Kind == yaml.MappingNode {
			all = append(all, c)
		}
	}
	return all
}

// twice reports a key that stands in a mapping again.
func (s *settler) twice(first, again *yaml.Node) {
	s.problems = append(s.problems, Problem{
		ID:      "duplicate-key",
		Place:   Place{s.chunk.File.Name, again.Line, again.Column},
		Message: fmt.Sprintf("%s stands in the same mapping in line %d already; this one counts, what stands there is lost", clip(again.Value), first.Line),
	})
}

// clip makes a key fit to stand in a sentence.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// retag gives a plain scalar the type that kubectl reads: it goes by YAML 1.1, and
// takes a date for a text.
func retag(n *yaml.Node) {
	if n.Style != 0 || n.Value == "" {
		return
	}
	switch n.Tag {
	case "!!str":
		if _, ok := truth[n.Value]; ok {
			n.Tag = "!!bool"
		}
	case "!!timestamp":
		n.Tag = "!!str"
	}
}

// truth are the words of YAML 1.1 (https://yaml.org/type/bool.html).
var truth = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true, "true": true, "True": true, "TRUE": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false, "false": false, "False": false, "FALSE": false,
}
