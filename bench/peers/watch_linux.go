package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	memoryEvery = time.Second     // reading it holds a process up for milliseconds
	orphanGrace = 5 * time.Second // for what a client leaves behind
)

// watch runs args in a tree of its own and writes the usage of all of it.
func watch(account string, memory bool, args []string) error {
	// What a client leaves behind becomes a child of this process, so that its
	// time is counted and it is not left running.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	interrupt, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	u := Usage{Start: time.Now()}
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // how it ended stands in its state
	}()
	peak := 0.0
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-interrupt.Done():
			kill(descendants())
			<-done
			running = false
		case <-tick.C:
			if memory {
				peak = max(peak, proportional(descendants()))
			}
		}
	}
	u.WallS = time.Since(u.Start).Seconds()
	u.Exit = cmd.ProcessState.ExitCode()
	reap()
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &r); err != nil {
		return err
	}
	u.CPUS = time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
	if memory {
		peak = max(peak, float64(r.Maxrss)/1024) // KiB on Linux
		u.PeakMiB = &peak
	}
	b, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return os.WriteFile(account, b, 0o644)
}

// reap waits for what the client left behind, and ends it where it stays.
func reap() {
	deadline := time.Now().Add(orphanGrace)
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR || pid > 0:
		case err != nil: // no child is left
			return
		default:
			if time.Now().After(deadline) {
				kill(descendants())
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func kill(pids []int) {
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL) // one that has ended by itself is as good
	}
}

// descendants of this process, found by the parents of all processes.
func descendants() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	var found []int
	for open := children[os.Getpid()]; len(open) > 0; open = open[1:] {
		found = append(found, open[0])
		open = append(open, children[open[0]]...)
	}
	return found
}

func parentOf(pid int) (parent int, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// A name may hold anything: the fields after the last parenthesis count.
	_, err = fmt.Sscanf(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " %1s %d", new(string), &parent)
	return parent, err == nil
}

// proportional set size of the processes, MiB: a page that several share is
// divided among them.
func proportional(pids []int) float64 {
	kib := 0
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				n := 0
				if _, err := fmt.Sscanf(rest, "%d", &n); err == nil {
					kib += n
				}
				break
			}
		}
	}
	return float64(kib) / 1024
}

// ticks is the unit of /proc/stat on every Linux that Go runs on.
const ticks = time.Second / 100

// machineWork is the CPU time that the whole machine has used until now.
func machineWork() time.Duration {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var user, nice, system, idle, iowait, irq, softirq int64
	if _, err := fmt.Sscanf(string(stat), "cpu %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &iowait, &irq, &softirq); err != nil {
		return 0
	}
	return time.Duration(user+nice+system+irq+softirq) * ticks
}

// processWork is the CPU time that one process has used until now.
func processWork(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64) // utime, the 14th field of all
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * ticks
}
