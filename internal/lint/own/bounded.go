package own

import (
	"fmt"
	"math"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	limits "k8s.io/apiserver/pkg/apis/cel"

	"assay/internal/lint"
)

// CEL counts what a call cost when the call is over. What a single call may do is
// bounded here: the size of what functions make out of little, and time and memory of
// one evaluation. An API server has no such bounds.
const (
	mostCost = limits.PerCallLimit / 10 // of one evaluation; the time is worse than proportional
	mostText = 8 << 20                  // bytes
	mostHeap = 2 << 30                  // bytes that are added while one expression is evaluated
)

// mostTime is how long one evaluation may take; a test does not wait for it.
var mostTime = time.Minute

// evaluate is an expression's value. One that does not end, or fills the memory, ends
// the run: CEL cannot be stopped within a call, so its goroutine is left behind.
func evaluate(p *lint.Pass, program cel.Program, vars map[string]any) (ref.Val, error) {
	type outcome struct {
		got ref.Val
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		got, details, err := program.Eval(vars)
		if details != nil && details.ActualCost() != nil {
			p.Spend(*details.ActualCost())
		}
		done <- outcome{got, err}
	}()
	const look = 50 * time.Millisecond
	looks := time.NewTimer(look)
	defer looks.Stop()
	begin, heap := time.Now(), uint64(0)
	for {
		select {
		case o := <-done:
			return o.got, o.err
		case <-p.Done():
			return nil, fmt.Errorf("the run ends")
		case <-looks.C:
		}
		now := inHeap()
		if heap == 0 {
			heap = now
		}
		if spent := time.Since(begin); spent > mostTime || now > heap+mostHeap {
			p.Abort(fmt.Errorf("own rule %s does not end: at %s of %s it took %v and %d MiB", p.Rule.ID, p.Object.Ref, p.File.Name, spent.Round(time.Second), (max(now, heap)-heap)>>20))
		}
		looks.Reset(look)
	}
}

// inHeap are the bytes of objects in the heap.
func inHeap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// bounds are functions that make much out of little, in versions that refuse to.
var bounds = map[string]func(args []ref.Val) ref.Val{
	"replace": replace,
	"join":    join,
}

// bound puts them in the place of CEL's own, behind a look at their arguments.
func bound(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || bounds[call.Function()] == nil {
		return i, nil
	}
	do := bounds[call.Function()]
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
		return do(args)
	}), nil
}

// replace is s.replace(old, new) or s.replace(old, new, limit).
func replace(args []ref.Val) ref.Val {
	limit := int64(-1)
	if len(args) == 4 {
		n, ok := args[3].(types.Int)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[3])
		}
		limit = int64(n)
		args = args[:3]
	}
	var s [3]string
	for i, arg := range args {
		text, ok := arg.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		s[i] = string(text)
	}
	if limit < 0 || limit > math.MaxInt32 {
		limit = math.MaxInt32
	}
	times := min(int(limit), strings.Count(s[0], s[1]))
	if size := len(s[0]) + times*(len(s[2])-len(s[1])); size > mostText {
		return types.NewErr("replace would make %d MiB", size>>20)
	}
	return types.String(strings.Replace(s[0], s[1], s[2], int(limit)))
}

// join is list.join() or list.join(separator).
func join(args []ref.Val) ref.Val {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	between := types.String("")
	if len(args) == 2 {
		if between, ok = args[1].(types.String); !ok {
			return types.MaybeNoSuchOverloadErr(args[1])
		}
	}
	var b strings.Builder
	first := true
	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		s, ok := item.(types.String)
		if !ok {
			return types.NewErr("join is of a list of strings, and one item is %s", item.Type().TypeName())
		}
		if !first {
			b.WriteString(string(between))
		}
		first = false
		if b.WriteString(string(s)); b.Len() > mostText {
			return types.NewErr("join would make more than %d MiB", mostText>>20)
		}
	}
	return types.String(b.String())
}
