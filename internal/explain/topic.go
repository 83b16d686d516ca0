package explain

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"assay/internal/facts"
	"assay/internal/telemetry"
)

// topic is a name that can be explained.
type topic struct {
	name    string
	kind    Kind
	aliases []string
	page    func() Page
}

// topics are all of them, in the order of kinds.
var topics = sync.OnceValue(func() []topic {
	var all []topic
	for _, some := range [][]topic{termTopics(), classTopics(), alertTopics(), quantityTopics(), metricTopics(), xidTopics(), clockTopics(), thresholdTopics(), ruleTopics()} {
		all = append(all, some...)
	}
	return all
})

// byName finds topics by name and alias, folded. The first one of a name is kept.
var byName = sync.OnceValue(func() map[string]*topic {
	m := map[string]*topic{}
	all := topics()
	add := func(name string, t *topic) {
		if _, there := m[fold(name)]; !there {
			m[fold(name)] = t
		}
	}
	for i := range all {
		add(all[i].name, &all[i])
	}
	for i := range all {
		for _, a := range all[i].aliases {
			add(a, &all[i])
		}
	}
	return m
})

// fold makes names alike that differ in case and in what joins their words.
func fold(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == ' ' || r == '-' || r == '_' || r == '\t'
	}), "_")
}

// maxName is the longest name that is looked up.
const maxName = 200

// Topic explains a name. The error of one that is not known is an *Unknown.
func Topic(name string) (Page, error) {
	name = strings.TrimSpace(name)
	if len(name) > maxName {
		name = name[:maxName]
	}
	if code, ok := xidCode(name); ok {
		if x, ok := facts.XIDOf(code); ok {
			return xidPage(x), nil
		}
	}
	if bits, ok := clockBits(name); ok {
		return clockPage(bits), nil
	}
	// A metric as it is written comes before what is like it: GPU_UTIL is DCGM's,
	// gpu_util the quantity.
	if e, n, ok := metricOf(name); ok {
		return metricPage(e, n), nil
	}
	if t, ok := byName()[fold(name)]; ok {
		return t.page(), nil
	}
	for _, as := range []string{strings.ToUpper(name), strings.ToLower(name)} {
		if e, n, ok := metricOf(as); ok {
			return metricPage(e, n), nil
		}
	}
	return Page{}, &Unknown{Name: name, Near: near(name)}
}

// xidWord is how a code is written: 79, XID79, xid 79, Xid-79, NvidiaXID79Error.
var xidWord = regexp.MustCompile(`(?i)^(?:(?:nvidia)?[ _-]?xid[ _:-]*)?(\d{1,4})(?:error|warning)?$`)

func xidCode(name string) (int, bool) {
	m := xidWord.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	code, err := strconv.Atoi(m[1])
	return code, err == nil
}

// prefixes are those that publishers give their metrics, and people leave out:
// FB_USED, kv_cache_usage_perc.
var prefixes = []string{"", "vllm:", "DCGM_FI_DEV_", "DCGM_FI_PROF_", "DCGM_EXP_", "sglang:", "tgi_", "trtllm_", "llamacpp:", "lmdeploy:"}

// metricOf finds the metric of a series.
func metricOf(name string) (telemetry.Entry, telemetry.Name, bool) {
	for _, prefix := range prefixes {
		if e, n, ok := telemetry.Lookup(prefix + name); ok {
			return e, n, true
		}
	}
	return telemetry.Entry{}, telemetry.Name{}, false
}

// Group is the topics of one kind.
type Group struct {
	Kind   Kind     `json:"kind"`
	Topics []string `json:"topics"`
}

// Topics lists all names by kind.
func Topics() []Group {
	var groups []Group
	for _, k := range kinds {
		g := Group{Kind: k}
		for _, t := range topics() {
			if t.kind == k {
				g.Topics = append(g.Topics, t.name)
			}
		}
		if len(g.Topics) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}
