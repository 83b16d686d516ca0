package price

import (
	"encoding/json"
	"fmt"
	"strconv"

	"assay/internal/facts"
)

// Command lines that get the files that ReadFile takes.
const (
	AskOnDemand = "aws pricing get-products --service-code AmazonEC2 --region us-east-1 --filters Type=TERM_MATCH,Field=regionCode,Value=REGION Type=TERM_MATCH,Field=operatingSystem,Value=Linux Type=TERM_MATCH,Field=tenancy,Value=Shared Type=TERM_MATCH,Field=preInstalledSw,Value=NA Type=TERM_MATCH,Field=capacitystatus,Value=Used Type=TERM_MATCH,Field=instanceType,Value=INSTANCE"
	AskSpot     = "aws ec2 describe-spot-price-history --region REGION --product-descriptions Linux/UNIX --instance-types INSTANCE"
)

// product is one item of a price list. Its form is AWS's (Price List API, offer file
// of AmazonEC2).
type product struct {
	Product struct {
		Attributes struct {
			InstanceType    string `json:"instanceType"`
			OperatingSystem string `json:"operatingSystem"`
			Tenancy         string `json:"tenancy"`
			PreInstalled    string `json:"preInstalledSw"`
			Status          string `json:"capacitystatus"`
			Market          string `json:"marketoption"`
			Region          string `json:"regionCode"`
			LicenseModel    string `json:"licenseModel"`
		} `json:"attributes"`
	} `json:"product"`
	Published string `json:"publicationDate"`
	Terms     struct {
		OnDemand map[string]struct {
			Effective  string `json:"effectiveDate"`
			Dimensions map[string]struct {
				Unit  string            `json:"unit"`
				Price map[string]string `json:"pricePerUnit"`
			} `json:"priceDimensions"`
		} `json:"OnDemand"`
	} `json:"terms"`
}

func (b *Book) readProducts(name string, data []byte) error {
	var answer struct {
		PriceList []json.RawMessage
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return fmt.Errorf("%s: it begins as an answer of aws pricing get-products, but: %w", name, err)
	}
	if len(answer.PriceList) > 10*mostTypes {
		return fmt.Errorf("%s: more than %d products: filter by instanceType", name, 10*mostTypes)
	}
	for i, raw := range answer.PriceList {
		p, err := oneProduct(raw)
		if err != nil {
			return fmt.Errorf("%s: PriceList[%d]: %w", name, i, err)
		}
		if err := b.addProduct(name, p); err != nil {
			return fmt.Errorf("%s: PriceList[%d]: %w", name, i, err)
		}
	}
	if b.empty() {
		return fmt.Errorf("%s: none of its %d products is an on-demand Linux instance (Shared, NA, Used) with a price in US dollars: %s", name, len(answer.PriceList), AskOnDemand)
	}
	return nil
}

// oneProduct reads an item, which the API writes as JSON within a string.
func oneProduct(raw json.RawMessage) (product, error) {
	var p product
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	err := json.Unmarshal(raw, &p)
	return p, err
}

func (b *Book) addProduct(name string, p product) error {
	a := p.Product.Attributes
	wanted := a.OperatingSystem == "Linux" && a.Tenancy == "Shared" && (a.PreInstalled == "NA" || a.PreInstalled == "") &&
		(a.Status == "Used" || a.Status == "") && (a.Market == "OnDemand" || a.Market == "") && a.LicenseModel != "Bring your own license"
	if !wanted || !instanceName.MatchString(a.InstanceType) || !regionName.MatchString(a.Region) {
		return nil
	}
	for _, term := range p.Terms.OnDemand {
		for _, d := range term.Dimensions {
			usd, err := strconv.ParseFloat(d.Price["USD"], 64)
			if err != nil || usd == 0 || (d.Unit != "Hrs" && d.Unit != "") {
				continue // a price in another currency, or the hour that a reservation has paid
			}
			if why := usable(usd); why != "" {
				return fmt.Errorf("%s: %s", a.InstanceType, why)
			}
			k := key{a.InstanceType, a.Region}
			date := day(p.Published)
			if date == "" {
				date = day(term.Effective)
			}
			if old, ok := b.onDemand[k]; ok && old.PerHour != usd {
				return fmt.Errorf("two prices for %s in %s, %g and %g dollars: ask with the filters of %q", a.InstanceType, a.Region, old.PerHour, usd, AskOnDemand)
			}
			b.onDemand[k] = Price{PerHour: usd, Region: a.Region, AsOf: date, Source: facts.Source{Title: "aws pricing get-products, " + name, Date: date}}
		}
	}
	return nil
}
