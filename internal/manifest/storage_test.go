package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"assay/internal/plan"
	"assay/internal/spec"
)

func stored(in Input, volumes ...spec.RenderVolume) Input {
	for i := range volumes {
		if volumes[i].For == "" {
			volumes[i].For = spec.ForWeights
		}
		if volumes[i].Name == "" {
			volumes[i].Name = volumes[i].For
		}
	}
	in.Spec.Storage.Volumes = volumes
	return in
}

// volumes are one of each kind that is written.
func volumes() map[string]spec.RenderVolume {
	net := spec.RenderVolume{Kind: spec.OnFSx, GiB: 500, Subnet: "subnet-0a1b", Groups: []string{"sg-0a1b", "sg-2c3d"}}
	imported, checkpoints, efa := net, net, net
	imported.ImportPath = "s3://models/llama"
	checkpoints.For, checkpoints.Compression = spec.ForCheckpoints, true
	efa.EFA, efa.For = true, spec.ForData
	return map[string]spec.RenderVolume{
		"ebs-gp3":         {Kind: spec.OnEBS},
		"ebs-io2":         {Kind: spec.OnEBS, Type: "io2", GiB: 300, For: spec.ForData},
		"efs":             {Kind: spec.OnEFS, FileSystem: "fs-0a1b", AccessPoint: "fsap-0a1b"},
		"efs-checkpoints": {Kind: spec.OnEFS, FileSystem: "fs-0a1b", For: spec.ForCheckpoints},
		"fsx-imported":    imported,
		"fsx-checkpoints": checkpoints,
		"fsx-efa":         efa,
		"fsx-static":      {Kind: spec.OnFSx, FileSystem: "fs-0a1b", MountName: "abcdefgh"},
		"s3":              {Kind: spec.OnS3, Bucket: "models-prod", Prefix: "llama/", Cache: 200},
		"s3-checkpoints":  {Kind: spec.OnS3, Bucket: "models-prod", Write: true, For: spec.ForCheckpoints},
		"s3-express":      {Kind: spec.OnS3, Bucket: "models--euc1-az2--x-s3", Express: true},
	}
}

func TestStorageGolden(t *testing.T) {
	for name, v := range volumes() {
		in := stored(plannedOn("g6e.12xlarge", 4, 1, 2), v)
		in.Spec.Zones = in.Spec.Zones[:1]
		all, err := Storage(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if marks := MarksIn(goldenFolder(t, "storage-"+name, all)); len(marks) > 0 {
			t.Errorf("%s: marks though all is given: %v", name, marks)
		}
	}
}

func TestStorageMarks(t *testing.T) {
	for kind, want := range map[string][]string{
		spec.OnEFS: {"storage.file_system"},
		spec.OnFSx: {"storage.subnet", "storage.security_groups"},
		spec.OnS3:  {"storage.bucket"},
	} {
		all, err := Storage(stored(Input{}, spec.RenderVolume{Kind: kind, GiB: 100}))
		if err != nil {
			t.Fatal(err)
		}
		files, err := Folder("", all)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range MarksIn(files) {
			got = append(got, m.Key)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: marks for %v, want %v", kind, got, want)
		}
	}
}

func TestStorageRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		volume spec.RenderVolume
		want   string
	}{
		"no size":                 {spec.RenderVolume{Kind: spec.OnEBS}, "give size"},
		"throughput of gp3":       {spec.RenderVolume{Kind: spec.OnEBS, GiB: 1, Throughput: 3000}, "between 125 and 2000"},
		"throughput without IOPS": {spec.RenderVolume{Kind: spec.OnEBS, GiB: 1, Throughput: 1000, IOPS: 3000}, "it takes 4000 IOPS"},
		"too small for its IOPS":  {spec.RenderVolume{Kind: spec.OnEBS, For: spec.ForWeights, GiB: 5}, "4000 IOPS are more than a volume of 5 GiB has: 3000"},
		"throughput of FSx":       {spec.RenderVolume{Kind: spec.OnFSx, GiB: 1, Deployment: "PERSISTENT_1", PerTiB: 250}, "250 is of PERSISTENT_2"},
		"import on PERSISTENT_2":  {spec.RenderVolume{Kind: spec.OnFSx, GiB: 1, Deployment: "PERSISTENT_2", ImportPath: "s3://a"}, "data repository association"},
		"export alone":            {spec.RenderVolume{Kind: spec.OnFSx, GiB: 1, Deployment: "SCRATCH_2", ExportPath: "s3://a"}, "without s3ImportPath"},
		"EFA on scratch":          {spec.RenderVolume{Kind: spec.OnFSx, GiB: 1, Deployment: "SCRATCH_2", EFA: true}, "only PERSISTENT_2"},
		"checkpoints, read only":  {spec.RenderVolume{Kind: spec.OnS3, For: spec.ForCheckpoints}, "write: true"},
	} {
		_, err := Storage(stored(Input{}, test.volume))
		if got := told(err); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %s", name, got, test.want)
		}
	}
	if _, err := Storage(Input{}); !strings.Contains(told(err), "render.storage") {
		t.Errorf("no volumes: %q", told(err))
	}
}

// told is an error with the way out that it names.
func told(err error) string {
	var usage *plan.UsageError
	if errors.As(err, &usage) {
		return err.Error() + ": " + usage.Way
	}
	return fmt.Sprint(err)
}

// The sizes of FSx are those that AWS sells, however small the wish.
func TestFSxSizes(t *testing.T) {
	for name, want := range map[string]string{"fsx-imported": "1200Gi", "fsx-checkpoints": "1200Gi", "fsx-efa": "4800Gi"} {
		all, err := Storage(stored(Input{}, volumes()[name]))
		if err != nil {
			t.Fatal(err)
		}
		files, err := Folder("", all)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(files[2].Body); !strings.Contains(text, "storage: "+want) {
			t.Errorf("%s: no %s in\n%s", name, want, text)
		}
	}
}

// A file system that is made for weights has the throughput that loading them takes.
func TestFSxThroughputOfWeights(t *testing.T) {
	for name, test := range map[string]struct {
		replicas int
		volume   spec.RenderVolume
		want     string
	}{
		"141 GB for one":  {1, spec.RenderVolume{}, `"500"`},
		"141 GB for two":  {2, spec.RenderVolume{}, `"1000"`},
		"a large one":     {1, spec.RenderVolume{GiB: 7200}, `"250"`},
		"as asked for":    {2, spec.RenderVolume{PerTiB: 125}, `"125"`},
		"not for weights": {2, spec.RenderVolume{For: spec.ForCheckpoints, GiB: 1200}, `"250"`},
	} {
		v := test.volume
		v.Kind, v.For, v.Deployment = spec.OnFSx, cmp.Or(v.For, spec.ForWeights), "PERSISTENT_2"
		all, err := Storage(stored(plannedOn("p5.48xlarge", 8, 1, test.replicas), v))
		if err != nil {
			t.Fatal(err)
		}
		files, err := Folder("", all)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(files[2].Body); !strings.Contains(string(files[1].Body)+text, "perUnitStorageThroughput: "+test.want) {
			t.Errorf("%s: no %s in\n%s", name, test.want, text)
		}
	}
}
