// SPDX-License-Identifier: MIT
/* Answers of an NVMe drive: whatever it sends is decoded into values within their bounds. */
#include "target/nvme_codec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *page = calloc(1, NVME_PAGE);
	struct nvme_controller c;
	struct nvme_namespace n;
	struct nvme_smart s;
	struct nvme_sanitize z;
	memcpy(page, data, size < NVME_PAGE ? size : NVME_PAGE);
	nvme_decode_controller(&c, page);
	nvme_decode_namespace(&n, page);
	nvme_decode_smart(&s, page);
	nvme_decode_sanitize(&z, page);
	if (c.power_states < 1 || c.power_states > NVME_MAX_POWER_STATES || n.formats < 1 ||
		n.formats > NVME_MAX_FORMATS || strlen(c.model) > 40 || strlen(c.serial) > 20 || z.progress < 0 ||
		z.progress > 1 || s.written_bytes < 0)
		abort();
	nvme_apst_has_transitions(page);
	nvme_decode_ocp_media_bytes(page);
	free(page);
	return 0;
}
