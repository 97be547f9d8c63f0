// SPDX-License-Identifier: MIT
#include "model/drive.h"

#include <sys/mman.h>

/* Arrays as large as the drive's whole address space, of which sequential use touches next to nothing. Huge pages only
 * where the whole array is small: elsewhere they would make one touched 4 KiB page cost 2 MiB. */
#define HUGE_BELOW ((size_t)256 << 20)

void *lazy_alloc(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, bytes <= HUGE_BELOW ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return p;
}

void lazy_clear(void *p, size_t bytes)
{
	madvise(p, bytes, MADV_DONTNEED);
}

void lazy_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}
