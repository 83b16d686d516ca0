// Package survey looks at a service in production without load of its own and
// says what binds it: replica by replica, and which of them lies apart.
//
// It knows two ways to see: scrapes of each replica from now on, and what a
// Prometheus server has recorded. Both give snapshots; these are cut into spans
// of alike load, each span becomes a record.Level, and package diagnose judges
// them. It sends no request to the model. Times are seconds in keys that end in
// _s, shares are 0..1, and what is not known is nil.
//
//	result, err := survey.Look(ctx, survey.Options{Replicas: endpoints, For: 30 * time.Second})
package survey
