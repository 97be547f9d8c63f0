// SPDX-License-Identifier: MIT
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(read_diskspd, "x.xml", data, size);
	return 0;
}
