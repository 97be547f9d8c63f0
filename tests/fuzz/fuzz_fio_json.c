// SPDX-License-Identifier: MIT
#include "import.h"

#include "import/fio.h"

/* Whatever the bytes are, they are read as JSON. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"x.json", "y.json", "x_bw.1.log"};
	struct source s;
	struct fio_result *results = NULL;
	size_t n = 0;
	struct err e = {0};
	fuzz_fio(names, ARRAY_SIZE(names), data, size);
	source_from_memory(&s, "x.json", data, size, false);
	check_error(fio_json_read(&s, &results, &n, &e), &e);
	for (size_t i = 0; i < n; i++)
		fio_result_free(&results[i]);
	free(results);
	source_free(&s);
	return 0;
}
