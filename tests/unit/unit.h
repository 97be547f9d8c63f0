/* SPDX-License-Identifier: MIT */
/* What every cmocka test program includes, in the order cmocka wants. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka compares only floats. Fails, and shows both, unless |got - want| <= epsilon (also where one is NAN). */
#define assert_near(got, want, epsilon)                                                                                \
	do {                                                                                                           \
		double got_ = (got), want_ = (want);                                                                   \
		if (!(got_ - want_ <= (epsilon) && want_ - got_ <= (epsilon)))                                         \
			fail_msg("%s is %.10g, not %.10g", #got, got_, want_);                                         \
	} while (0)

#endif
