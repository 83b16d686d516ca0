package record

// Confirmation is one open-loop level below a closed loop's knee, and whether
// the server held it.
type Confirmation struct {
	Share float64 `json:"share"` // of the throughput at knee.low
	Rate  float64 `json:"rate"`  // asked, requests per second
	Level string  `json:"level"` // its id
	// Offered is the rate that the random arrivals came to, and Delivered the
	// share of them that the server answered while they came; nil: not known.
	Offered   *float64 `json:"offered_per_s"`
	Delivered *float64 `json:"delivered_share"`
	Held      *bool    `json:"held"` // null: the level does not tell
	Why       string   `json:"why"`
}
