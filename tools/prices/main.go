// Command prices writes the on-demand prices that ship with Assay. It takes them from
// a released module of Karpenter's AWS provider, whose bot asks EC2's price list, and
// reads the module's source instead of linking it: linking brings 237 modules.
//
//	go run ./tools/prices            writes internal/price/ondemand-us-east-1.json
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"assay/internal/facts"
	"assay/internal/price"
)

// The module, pinned by the hash of its content.
const (
	module  = "github.com/aws/karpenter-provider-aws"
	version = "v1.14.0"
	sum     = "h1:QVQ947vQKzxM87aDbpZBtUnlVRVcU75c/RMlgVyX7nc="
	source  = "pkg/providers/pricing/zz_generated.pricing_aws.go"
	table   = "InitialOnDemandPricesAWS"
	region  = price.Home
	out     = "internal/price/ondemand-us-east-1.json"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "prices:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := download()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(source)))
	if err != nil {
		return err
	}
	prices, date, err := read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return write(out, accelerated(prices), date)
}

// download is the folder of the module's source.
func download() (string, error) {
	text, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s@%s: %w: %s", module, version, err, text)
	}
	var got struct{ Dir, Sum string }
	if err := json.Unmarshal(text, &got); err != nil {
		return "", err
	}
	if got.Sum != sum {
		return "", fmt.Errorf("%s@%s is %s, not %s", module, version, got.Sum, sum)
	}
	return got.Dir, nil
}

var generated = regexp.MustCompile(`generated at (\d{4}-\d\d-\d\d)T\S+ for ` + region)

// read takes the region's prices, US dollars an hour by instance type, and the date
// on which they were asked for.
func read(text []byte) (map[string]float64, string, error) {
	date := generated.FindSubmatch(text)
	if date == nil {
		return nil, "", fmt.Errorf("it does not say when it was generated for %s", region)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return nil, "", err
	}
	prices := map[string]float64{}
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok || literal(pair.Key) != region {
			return true
		}
		rows, ok := pair.Value.(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, row := range rows.Elts {
			if row, ok := row.(*ast.KeyValueExpr); ok {
				if usd, err := strconv.ParseFloat(literal(row.Value), 64); err == nil {
					prices[literal(row.Key)] = usd
				}
			}
		}
		return false
	})
	if len(prices) == 0 {
		return nil, "", fmt.Errorf("%s has no prices of %s", table, region)
	}
	return prices, string(date[1]), nil
}

func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	return strings.Trim(l.Value, `"`)
}

// accelerated keeps the types of Assay's catalogue.
func accelerated(prices map[string]float64) map[string]float64 {
	kept := map[string]float64{}
	for _, i := range facts.Instances() {
		if usd, ok := prices[i.Name]; ok {
			kept[i.Name] = usd
		}
	}
	return kept
}

func write(path string, prices map[string]float64, date string) error {
	text, err := json.MarshalIndent(price.Table{
		Source:  "Karpenter's AWS provider, " + table + " (" + module + ", Apache-2.0)",
		URL:     "https://" + module + "/blob/" + version + "/" + source,
		Version: version, Date: date, Region: region,
		Unit:   "US dollars an hour, on demand, Linux, shared tenancy",
		Prices: prices,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
