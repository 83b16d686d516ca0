// Package grid is the services over which everything that manifest writes is proven:
// kinds of capacity, operating systems, storage, layouts over one and two nodes, regions
// and zones, features on and off. Each case is an assay.yaml and a plan's option; tests
// lint what is written of it and give it to an API server.
//
//	for _, c := range grid.Cases() { files, err := c.Render() }
package grid
