package load

import "runtime/debug"

// calmPercent lets the heap grow to five times what lives before a collection.
// A client's heap is small, so at Go's default of 100 a collection comes several
// times a second and takes a quarter of the cores while it lasts: on two cores
// that was most of the error of the mean TTFT at 1,024 streams.
const calmPercent = 400

// calmCollector holds collections back while a level runs, unless GOGC says what
// the user wants. The function that it returns puts things back.
func calmCollector() (restore func()) {
	const goDefault = 100
	was := debug.SetGCPercent(calmPercent)
	if was != goDefault {
		debug.SetGCPercent(was)
		return func() {}
	}
	return func() { debug.SetGCPercent(was) }
}
