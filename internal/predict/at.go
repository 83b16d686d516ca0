package predict

// At predicts how a system serves a load.
func At(s System, l Load) (Prediction, error) {
	if err := l.check(); err != nil {
		return Prediction{}, err
	}
	return Prediction{}, &Refused{"no coefficients are fitted yet"}
}

// CurveOf predicts throughput and latency against concurrency, up to past the knee.
func CurveOf(s System, isl, osl int) (Curve, error) {
	if err := (Load{Concurrency: 1, ISL: isl, OSL: osl}).check(); err != nil {
		return Curve{}, err
	}
	return Curve{}, &Refused{"no coefficients are fitted yet"}
}
