package practice

// SharedMemory is the size of /dev/shm for a server over that many GPUs, bytes: 2 GiB
// each. A container has 64 MiB, in which NCCL and the engine's workers exchange buffers;
// NCCL's guide starts containers with --shm-size=1g (Troubleshooting, Docker; read
// 2026-11-30). The factor is ours. What is not used is not taken.
func SharedMemory(gpus int) int64 {
	const each = 2 << 30
	return int64(max(gpus, 1)) * each
}
