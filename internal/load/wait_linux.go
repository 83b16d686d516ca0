package load

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timerfdWaiter waits for a kernel timer through the runtime's network poller:
// a descriptor that becomes readable at a moment of the high-resolution clock.
// It neither spins nor holds a thread. Go's own timers cannot do that: the
// poller waits in whole milliseconds.
type timerfdWaiter struct{ file *os.File }

var _ waiter = (*timerfdWaiter)(nil)

// newPreciseWaiter falls back on Go's timers where the kernel has none to give.
func newPreciseWaiter() waiter {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return timerWaiter{}
	}
	return &timerfdWaiter{file: os.NewFile(uintptr(fd), "timerfd")}
}

func (w *timerfdWaiter) until(ctx context.Context, now func() time.Duration, at time.Duration) bool {
	for {
		left := at - now()
		if left <= 0 || ctx.Err() != nil {
			return ctx.Err() == nil
		}
		if !w.sleep(ctx, left) {
			return false
		}
	}
}

// sleep waits that long or until ctx ends.
func (w *timerfdWaiter) sleep(ctx context.Context, d time.Duration) bool {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}
	if err := w.set(&spec); err != nil {
		return timerWaiter{}.until(ctx, func() time.Duration { return 0 }, d)
	}
	// An expired read deadline is how a context interrupts a read.
	stop := context.AfterFunc(ctx, func() { w.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var expirations [8]byte
	_, err := w.file.Read(expirations[:])
	return err == nil && ctx.Err() == nil
}

func (w *timerfdWaiter) set(spec *unix.ItimerSpec) error {
	raw, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.TimerfdSettime(int(fd), 0, spec, nil) })
	if err != nil {
		return err
	}
	return failed
}

func (w *timerfdWaiter) spun() time.Duration { return 0 }
func (w *timerfdWaiter) close()              { w.file.Close() }
