package price

import (
	"bytes"
	"fmt"
	"regexp"

	"assay/internal/input"
)

// Bounds of a price file.
const (
	maxFile    = 256 << 20 // bytes; the price list of all of EC2 in a region is some 150 MB
	maxOwn     = 2 << 20   // bytes of our own format; reading YAML takes some 100 bytes for each
	leastPrice = 1e-4
	maxPrice   = 10_000 // US dollars an hour, of one instance
	mostTypes  = 20_000
)

// Open is the embedded book with the user's files over it, in their order.
func Open(paths ...string) (*Book, error) {
	b := Embedded()
	for _, path := range paths {
		own, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		b.Merge(own)
	}
	return b, nil
}

// ReadFile reads a price file; - is standard input. It may be
//
//   - our own, YAML or JSON: region, as_of, and on_demand (type: usd),
//     capacity_block (type: usd) and spot (type: {low, high}) as they are known;
//   - the answer of aws pricing get-products;
//   - the answer of aws ec2 describe-spot-price-history.
func ReadFile(path string) (*Book, error) {
	data, name, err := input.ReadAll(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	return Read(name, data)
}

// Read reads the text of a price file; name stands in its errors and as its source.
func Read(name string, data []byte) (*Book, error) {
	b := &Book{}
	b.open()
	var err error
	switch {
	case bytes.Contains(head(data), []byte(`"PriceList"`)):
		err = b.readProducts(name, data)
	case bytes.Contains(head(data), []byte(`"SpotPriceHistory"`)):
		err = b.readSpotHistory(name, data)
	default:
		err = b.readOwn(name, data)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// head is enough of a file to see the first key of an answer of AWS.
func head(data []byte) []byte {
	data = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	return data[:min(len(data), 512)]
}

var (
	instanceName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,30}\.[a-z0-9-]{1,30}$`)
	regionName   = regexp.MustCompile(`^[a-z]{2,3}(-[a-z]+){1,3}-\d{1,2}$`)
)

// IsRegion says whether a name has the form of an AWS region's.
func IsRegion(name string) bool { return regionName.MatchString(name) }

// usable says what is wrong with a price, or nothing.
func usable(usd float64) string {
	switch {
	case !(usd > 0):
		return fmt.Sprintf("%g is no price: leave out what is not known", usd)
	case usd < leastPrice:
		return fmt.Sprintf("%g is less than %g dollars an hour", usd, leastPrice)
	case usd > maxPrice:
		return fmt.Sprintf("%g is more than %d dollars an hour", usd, maxPrice)
	}
	return ""
}
