// SPDX-License-Identifier: MIT
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"x_bw.1.log", "x_bw.2.log", "x_iops.1.log", "x_clat.1.log",
		"x_clat_hist.1.log", "x.log", "x_agg-write_bw.log", "x.json"};
	fuzz_fio(names, ARRAY_SIZE(names), data, size);
	return 0;
}
