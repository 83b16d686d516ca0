package bench

import (
	"testing"

	"assay/internal/record"
)

func TestTheMeanWaitForACPUIsNotThatOfPercentiles(t *testing.T) {
	of := func(samples ...record.ClientSample) record.Client {
		return foldClient(nil, Recorded{Client: samples}, record.Window{})
	}
	low, high := 50.0, 150.0
	c := of(record.ClientSample{SchedP99US: 9000, SchedMeanUS: &low}, record.ClientSample{SchedP99US: 9000, SchedMeanUS: &high})
	if c.SchedWait == nil || *c.SchedWait != 0.1 || c.SchedDelay.Mean == nil || *c.SchedDelay.Mean != 9 {
		t.Errorf("got %v and %+v", c.SchedWait, c.SchedDelay)
	}
	if c := of(record.ClientSample{SchedP99US: 9000}); c.SchedWait != nil {
		t.Errorf("a run of before recorded no mean, and it is %v", *c.SchedWait)
	}
}
