package predict

// Bars are how wide ranges are.
type Bars struct{}
