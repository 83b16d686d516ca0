package price

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"assay/internal/facts"
)

// zoneRegion is the region in a zone's name: us-east-1a, us-west-2-lax-1a.
var zoneRegion = regexp.MustCompile(`^[a-z]{2,3}(-[a-z]+)+?-\d{1,2}`)

func (b *Book) readSpotHistory(name string, data []byte) error {
	var answer struct {
		SpotPriceHistory []struct {
			AvailabilityZone   string
			InstanceType       string
			ProductDescription string
			SpotPrice          string
			Timestamp          string
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return fmt.Errorf("%s: it begins as an answer of aws ec2 describe-spot-price-history, but: %w", name, err)
	}
	for i, row := range answer.SpotPriceHistory {
		if !strings.HasPrefix(row.ProductDescription, "Linux/UNIX") {
			continue
		}
		at := func(format string, args ...any) error {
			return fmt.Errorf("%s: SpotPriceHistory[%d]: %s", name, i, fmt.Sprintf(format, args...))
		}
		region := zoneRegion.FindString(row.AvailabilityZone)
		if region == "" {
			return at("%q is no availability zone, such as us-east-1a", bounded(row.AvailabilityZone, 60))
		}
		if !instanceName.MatchString(row.InstanceType) {
			return at("%q is no instance type, such as g5.12xlarge", bounded(row.InstanceType, 60))
		}
		usd, err := strconv.ParseFloat(row.SpotPrice, 64)
		if err != nil {
			return at("%q is no price in US dollars an hour", bounded(row.SpotPrice, 60))
		}
		if why := usable(usd); why != "" {
			return at("%s: %s", row.InstanceType, why)
		}
		date := day(row.Timestamp)
		if date == "" {
			return at("%q is no time", bounded(row.Timestamp, 60))
		}
		b.addSpot(key{row.InstanceType, region}, spot{
			SpotRange: SpotRange{Low: usd, High: usd, Region: region, From: date, AsOf: date, Zones: 1,
				Source: facts.Source{Title: "aws ec2 describe-spot-price-history, " + name, Date: date}},
			zones: map[string]bool{row.AvailabilityZone: true},
		})
		if len(b.spot) > mostTypes {
			return at("more than %d instance types", mostTypes)
		}
	}
	if b.empty() {
		return fmt.Errorf("%s: none of its %d prices is for Linux/UNIX: %s", name, len(answer.SpotPriceHistory), AskSpot)
	}
	return nil
}

// day is the date of a time that AWS writes, YYYY-MM-DD; empty: it is none.
func day(t string) string {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, t); err == nil {
			return at.UTC().Format(time.DateOnly)
		}
	}
	return ""
}
