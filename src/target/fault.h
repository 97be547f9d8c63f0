/* SPDX-License-Identifier: MIT */
/* A drive that fails on purpose, around any other target: to test what is above the target. On the command line
 * "fault:KIND@N[,for=DURATION]:SPEC", as "fault:eio@1000:null:size=1g": at the Nth I/O since the target was opened
 *   eio     that I/O fails (-EIO) and does not reach the target;
 *   short   that I/O transfers half and fails (-EIO);
 *   stall   the drive takes and completes nothing more for DURATION (30 s unless said otherwise), then goes on;
 *   vanish  this and everything later fails (-ENODEV), and it is not the same drive any more (target_same). */
#ifndef TARGET_FAULT_H
#define TARGET_FAULT_H

#include "target/target.h"

/* Opens "KIND@N[,for=DURATION]:SPEC" (without "fault:"), as target_open does. */
int target_open_fault(struct target **out, const char *spec, const struct target_options *, struct err *);

#endif
