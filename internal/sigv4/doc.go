// Package sigv4 signs requests with AWS's Signature Version 4 and keeps the
// credentials for it fresh: from the environment, the shared files, a web
// identity or pod identity of EKS, or the instance, as AWS's own clients do.
//
// It knows regions, services and the names under which a user may give AWS's
// inference endpoints. It does not know protocols: that is package wire.
//
//	s, err := sigv4.New(ctx, sigv4.Scope{Service: "bedrock", Region: "us-east-1"})
//	_, err = s.Sign(ctx, request, body)
package sigv4
