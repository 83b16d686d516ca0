package price

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"assay/internal/facts"
)

// mostMistakes bounds how many are told at once.
const mostMistakes = 20

// own reads our own format from its nodes, so that each mistake has a line.
type own struct {
	name   string
	region string
	asOf   string
	source facts.Source
	errs   []error
}

func (o *own) errorf(n *yaml.Node, format string, args ...any) {
	if len(o.errs) < mostMistakes {
		o.errs = append(o.errs, fmt.Errorf("%s:%d:%d: %s", o.name, n.Line, n.Column, fmt.Sprintf(format, args...)))
	}
}

func (b *Book) readOwn(name string, data []byte) error {
	if len(data) > maxOwn {
		return fmt.Errorf("%s is larger than %d MiB: %s", name, maxOwn>>20, expected)
	}
	var doc yaml.Node
	if err := yaml.NewDecoder(strings.NewReader(string(data))).Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s is empty: %s", name, expected)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	root := &doc
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	o := &own{name: name, source: facts.Source{Title: name}}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: no mapping: %s", name, root.Line, expected)
	}
	o.heading(root)
	o.prices(root, b)
	if len(o.errs) == 0 && b.empty() {
		o.errorf(root, "no price in it: %s", expected)
	}
	return errors.Join(o.errs...)
}

const expected = "give region, as_of and on_demand, capacity_block or spot; or the JSON of aws pricing get-products or aws ec2 describe-spot-price-history"

// heading reads what holds of all prices of the file.
func (o *own) heading(root *yaml.Node) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		switch k.Value {
		case "region":
			if o.region = v.Value; !regionName.MatchString(v.Value) {
				o.errorf(v, "%q is no region, such as eu-central-1", v.Value)
			}
		case "as_of":
			o.asOf, o.source.Date = v.Value, v.Value
			if _, err := time.Parse(time.DateOnly, v.Value); err != nil {
				o.errorf(v, "as_of %q is no date, such as 2026-11-30", v.Value)
			}
		case "source":
			o.source.Title = bounded(v.Value, 200)
		case "url":
			o.source.URL = bounded(v.Value, 500)
		case "on_demand", "capacity_block", "spot":
		default:
			o.errorf(k, "unknown key %q: known are region, as_of, source, url, on_demand, capacity_block, spot", bounded(k.Value, 60))
		}
	}
	if o.region == "" {
		o.errorf(root, "no region: prices differ by region")
	}
	if o.asOf == "" {
		o.errorf(root, "no as_of: a price needs the date of which it is (YYYY-MM-DD)")
	}
}

func (o *own) prices(root *yaml.Node, b *Book) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		switch k.Value {
		case "on_demand":
			o.each(v, func(k key, v *yaml.Node) { b.onDemand[k] = o.price(v) })
		case "capacity_block":
			o.each(v, func(k key, v *yaml.Node) { b.blocks[k] = o.price(v) })
		case "spot":
			o.each(v, func(k key, v *yaml.Node) { b.addSpot(k, spot{SpotRange: o.spot(v)}) })
		}
	}
}

func (o *own) each(n *yaml.Node, do func(key, *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		o.errorf(n, "no mapping of instance types")
		return
	}
	if len(n.Content)/2 > mostTypes {
		o.errorf(n, "more than %d instance types", mostTypes)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if seen[k.Value] {
			o.errorf(k, "%s twice", bounded(k.Value, 60))
		}
		seen[k.Value] = true
		if !instanceName.MatchString(k.Value) {
			o.errorf(k, "%q is no instance type, such as g5.12xlarge", bounded(k.Value, 60))
			continue
		}
		do(key{k.Value, o.region}, v)
	}
}

func (o *own) price(n *yaml.Node) Price {
	return Price{PerHour: o.usd(n), Region: o.region, AsOf: o.asOf, Source: o.source}
}

func (o *own) spot(n *yaml.Node) SpotRange {
	r := SpotRange{Region: o.region, AsOf: o.asOf, Source: o.source}
	if n.Kind != yaml.MappingNode {
		o.errorf(n, "a Spot price is a range: {low: 1.20, high: 2.50}")
		return r
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k, v := n.Content[i], n.Content[i+1]; k.Value {
		case "low":
			r.Low = o.usd(v)
		case "high":
			r.High = o.usd(v)
		default:
			o.errorf(k, "unknown key %q of a Spot range: known are low and high", bounded(k.Value, 60))
		}
	}
	switch {
	case r.Low == 0 || r.High == 0:
		o.errorf(n, "a Spot range needs low and high")
	case r.Low > r.High:
		o.errorf(n, "low %g is above high %g", r.Low, r.High)
	}
	return r
}

func (o *own) usd(n *yaml.Node) float64 {
	v, err := strconv.ParseFloat(strings.TrimPrefix(n.Value, "$"), 64)
	if err != nil || n.Kind != yaml.ScalarNode {
		o.errorf(n, "%q is no price in US dollars an hour", bounded(n.Value, 60))
		return 0
	}
	if why := usable(v); why != "" {
		o.errorf(n, "%s", why)
	}
	return v
}

func bounded(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
