package manifest

import (
	"cmp"
	"fmt"

	"assay/internal/plan"
	"assay/internal/practice"
	"assay/internal/spec"
)

// Bench writes the Job that measures the service from within the cluster, in its zone.
func Bench(in Input) ([]Written, error) {
	b := in.Spec.Bench
	if b.Image == "" {
		return nil, &plan.UsageError{What: "no image of Assay is named", Way: "build one with the Dockerfile of its repository, push it where the cluster pulls from, and give --image (or render.bench.image)"}
	}
	var all []Written
	if b.Claim == "" {
		all = append(all, in.benchClass(), in.benchClaim())
	}
	return append(all, Written{
		Name:   in.benchName() + "-job.yaml",
		Head:   fmt.Sprintf("Measures %s once and keeps the run on %s. To measure again: delete the Job and apply it.", in.benchTarget(), in.benchResults()),
		Object: in.benchJob(),
	}), nil
}

const benchContainer = "assay"

func (in Input) benchName() string { return in.name() + "-bench" }

// benchResults is the claim that keeps the runs.
func (in Input) benchResults() string { return cmp.Or(in.Spec.Bench.Claim, in.benchName()) }

// benchTarget is what is measured: the Service that is rendered, unless another is named.
func (in Input) benchTarget() string {
	host := in.name()
	if n := in.Spec.Namespace; n != "" {
		host += "." + n + ".svc"
	}
	return cmp.Or(in.Spec.Bench.Target, "http://"+host)
}

// benchLabels are not the service's: it would send requests to whoever has them.
func (in Input) benchLabels() object {
	l := in.labels()
	l[0].value = in.benchName()
	return l
}

func (in Input) benchMeta(namespace string) object {
	return object{{"name", in.benchName(), ""}, {"namespace", namespace, ""}, {"labels", in.benchLabels(), ""}}
}

func (in Input) benchClass() Written {
	return Written{Name: in.benchName() + "-storageclass.yaml", Head: "Where runs are kept. EKS has no default class since 1.30.", Object: object{
		{"apiVersion", "storage.k8s.io/v1", ""},
		{"kind", "StorageClass", ""},
		{"metadata", in.benchMeta(""), ""},
		{"provisioner", "ebs.csi.aws.com", ""},
		{"parameters", object{{"type", "gp3", ""}, {"encrypted", "true", ""}}, ""},
		{"volumeBindingMode", "WaitForFirstConsumer", "the volume is made in the zone of the Job's node"},
		{"reclaimPolicy", "Retain", "a run that was measured is not deleted with its claim"},
		{"allowVolumeExpansion", true, ""},
	}}
}

func (in Input) benchClaim() Written {
	return Written{Name: in.benchName() + "-persistentvolumeclaim.yaml", Object: object{
		{"apiVersion", "v1", ""},
		{"kind", "PersistentVolumeClaim", ""},
		{"metadata", in.benchMeta(in.Spec.Namespace), ""},
		{"spec", object{
			{"storageClassName", in.benchName(), ""},
			{"accessModes", []string{"ReadWriteOnce"}, ""},
			{"resources", object{{"requests", object{{"storage", fmt.Sprintf("%dGi", cmp.Or(in.Spec.Bench.Size, 10)), "some 100 MB for an hour of load"}}, ""}}, ""},
		}, ""},
	}}
}

// Bounds of the Job.
const (
	benchDeadline = 4 * 3600 // seconds: a saturation run takes half an hour
	benchKept     = 7 * 24 * 3600

	// benchTries are for a service that starts beside the Job: Kubernetes waits 10 s, 20 s
	// and so on up to 6 minutes between them, 46 minutes for twelve.
	benchTries = 12
	// benchUnreachable is the exit code of a bench that nothing answered.
	benchUnreachable = 3
)

func (in Input) benchJob() object {
	return object{
		{"apiVersion", "batch/v1", ""},
		{"kind", "Job", ""},
		{"metadata", in.benchMeta(in.Spec.Namespace), ""},
		{"spec", object{
			{"backoffLimit", benchTries, "tries while the service does not answer yet, in 46 minutes"},
			{"podFailurePolicy", object{{"rules", []object{{
				{"action", "FailJob", "what measured, or was asked for wrongly, is looked at and not repeated; 3 is that nothing answered"},
				{"onExitCodes", object{{"containerName", benchContainer, ""}, {"operator", "NotIn", ""}, {"values", []item{{benchUnreachable, ""}}, ""}}, ""},
			}}, ""}}, ""},
			{"activeDeadlineSeconds", benchDeadline, ""},
			{"ttlSecondsAfterFinished", benchKept, "its log is kept for a week"},
			{"template", object{
				{"metadata", object{
					{"labels", in.benchLabels(), "not those of the service, which would send requests here"},
					{"annotations", object{{"karpenter.sh/do-not-disrupt", "true", "a node that is consolidated would cut the measurement"}}, ""},
				}, ""},
				{"spec", in.benchPod(), ""},
			}, ""},
		}, ""},
	}
}

func (in Input) benchPod() object {
	volumes := []object{
		{{"name", "results", ""}, {"persistentVolumeClaim", object{{"claimName", in.benchResults(), ""}}, ""}},
		{{"name", "tmp", ""}, {"emptyDir", object{{"sizeLimit", "1Gi", ""}}, ""}},
	}
	mounts := []object{
		{{"name", "results", ""}, {"mountPath", "/results", ""}},
		{{"name", "tmp", ""}, {"mountPath", "/tmp", ""}},
	}
	if key := in.Spec.Bench.KeySecret; key != "" {
		volumes = append(volumes, object{{"name", "key", ""}, {"secret", object{{"secretName", key, ""}}, ""}})
		mounts = append(mounts, object{{"name", "key", ""}, {"mountPath", "/secrets/target", ""}, {"readOnly", true, ""}})
	}
	return object{
		{"restartPolicy", "Never", ""},
		{"automountServiceAccountToken", false, ""},
		{"terminationGracePeriodSeconds", 30, "SIGTERM saves what was measured"},
		{"securityContext", object{
			{"runAsNonRoot", true, ""}, {"runAsUser", 65532, ""}, {"runAsGroup", 65532, ""},
			{"fsGroup", 65532, "the volume is its to write"},
			{"seccompProfile", object{{"type", "RuntimeDefault", ""}}, ""},
		}, ""},
		{"affinity", in.benchAffinity(), ""},
		{"containers", []object{{
			{"name", benchContainer, ""},
			{"image", in.Spec.Bench.Image, ""},
			{"args", in.benchArguments(), ""},
			{"workingDir", "/results", "the run is written to assay-runs in it"},
			{"resources", object{
				{"requests", object{{"cpu", 4, "a client short of processors measures itself; Assay marks such a level client-limited"}, {"memory", "4Gi", ""}}, ""},
				{"limits", object{{"memory", "4Gi", ""}}, ""},
			}, ""},
			{"securityContext", object{
				{"allowPrivilegeEscalation", false, ""},
				{"readOnlyRootFilesystem", true, ""},
				{"capabilities", object{{"drop", []string{"ALL"}, ""}}, ""},
			}, ""},
			{"volumeMounts", mounts, ""},
		}}, ""},
		{"volumes", volumes, ""},
	}
}

// benchAffinity keeps the client in the zone of what it measures.
func (in Input) benchAffinity() object {
	if in.Spec.Bench.Target != "" {
		if len(in.Spec.Zones) == 0 {
			return nil
		}
		return object{{"nodeAffinity", object{{"requiredDuringSchedulingIgnoredDuringExecution", object{
			{"nodeSelectorTerms", []object{{{"matchExpressions", []object{{{"key", practice.ZoneLabel, ""}, {"operator", "In", ""}, {"values", in.Spec.Zones, ""}}}, ""}}}, ""},
		}, ""}}, ""}}
	}
	return object{{"podAffinity", object{{"requiredDuringSchedulingIgnoredDuringExecution", []object{{
		{"topologyKey", practice.ZoneLabel, "a zone in which the service has a pod: between zones a round trip takes about a millisecond more, and bytes cost"},
		{"labelSelector", object{{"matchLabels", in.selector(), ""}}, ""},
	}}, ""}}, ""}}
}

func (in Input) benchArguments() []item {
	args := []item{{"bench", ""}}
	scenarios := in.Spec.Bench.Scenarios
	if len(scenarios) == 0 {
		scenarios = []string{spec.Saturation}
	}
	for _, name := range scenarios {
		args = append(args, item{name, ""})
	}
	args = append(args, item{"--target=" + in.benchTarget(), ""})
	if in.Plan != nil {
		a := in.Plan.Request
		args = append(args, item{fmt.Sprintf("--isl=%d", a.ISL), "the lengths that were planned for"}, item{fmt.Sprintf("--osl=%d", a.OSL), ""})
	}
	for _, c := range in.SLO {
		args = append(args, item{"--slo=" + c.String(), ""})
	}
	if in.Spec.Bench.KeySecret != "" {
		args = append(args, item{"--api-key-file=/secrets/target/key", ""})
	}
	return args
}
