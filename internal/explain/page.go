package explain

// Kind is what a topic is.
type Kind string

// Kinds, in the order in which they are listed.
const (
	Term       Kind = "term"
	Class      Kind = "class" // of a verdict: what limits a service
	Alert      Kind = "alert"
	Metric     Kind = "metric"
	Quantity   Kind = "quantity" // what metrics of several engines are of
	XID        Kind = "xid"
	ClockEvent Kind = "clock-event"
	Threshold  Kind = "threshold"
	Rule       Kind = "rule" // of lint
)

var kinds = []Kind{Term, Class, Alert, Quantity, Metric, XID, ClockEvent, Threshold, Rule}

// Page is what is known of a topic. Parts that do not apply are empty.
type Page struct {
	Topic   string   `json:"topic"`
	Kind    Kind     `json:"kind"`
	Title   string   `json:"title"`
	Is      string   `json:"is"` // what it means
	Facts   []Fact   `json:"facts,omitempty"`
	Names   []Name   `json:"names,omitempty"`   // under which it is published
	Signs   []string `json:"signs,omitempty"`   // what shows it
	Example string   `json:"example,omitempty"` // lines with - are wrong, with + right
	Traps   []string `json:"traps,omitempty"`   // what it is taken for and is not
	Do      []Step   `json:"do,omitempty"`
	See     []string `json:"see,omitempty"` // other topics
	Sources []Source `json:"sources,omitempty"`
}

// Fact is one property with its name.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Name is one publisher's name of a quantity. Labels are the metric's own; a
// scrape adds others.
type Name struct {
	Publisher string   `json:"publisher"`
	Metric    string   `json:"metric"`
	Labels    []string `json:"labels,omitempty"`
	Product   []string `json:"product,omitempty"` // labels whose product is the value
	Since     string   `json:"since,omitempty"`
	Removed   string   `json:"removed,omitempty"`
	Instead   string   `json:"instead,omitempty"`
	Enable    string   `json:"enable,omitempty"` // where it is not published by itself
}

// Step is one thing to do. Flag makes it, where a flag does; Helps says whether it
// works and Cost what it takes.
type Step struct {
	Text  string `json:"text"`
	Flag  string `json:"flag,omitempty"`
	Helps string `json:"helps,omitempty"`
	Cost  string `json:"cost,omitempty"`
}

// Source is where it was read, and when.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	AsOf  string `json:"as_of,omitempty"`
}

func (p *Page) fact(name, value string) {
	if value != "" {
		p.Facts = append(p.Facts, Fact{name, value})
	}
}

func steps(texts ...string) []Step {
	var all []Step
	for _, t := range texts {
		if t != "" {
			all = append(all, Step{Text: t})
		}
	}
	return all
}
