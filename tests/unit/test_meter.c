// SPDX-License-Identifier: MIT
#include "unit.h"

#include "base/rng.h"
#include "meter/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MS NSEC_PER_MSEC
#define S NSEC_PER_SEC

static void add(struct series *s, nsec at, nsec length, double watts)
{
	assert_true(series_add(s, &(struct meter_sample){.at = at, .length = length, .watts = watts}));
}

/* A ramp of instants: 0 W at 0 s to 100 W at 10 s, exact by the trapezoid rule, also between the samples. */
static void instants_are_joined_by_lines(void **state)
{
	struct series s = {.period = 100 * MS};
	for (int i = 0; i <= 100; i++)
		add(&s, i * 100 * MS, 0, i);
	struct meter_window w;
	series_window(&s, 0, 10 * S, &w);
	assert_int_equal(w.verdict, METER_OK);
	assert_float_equal(w.joules, 500, 1e-9);
	assert_float_equal(w.watts, 50, 1e-9);
	assert_float_equal(w.max_watts, 100, 1e-9);
	assert_float_equal(w.covered, 1, 1e-12);
	series_window(&s, 2 * S + 30 * MS, 4 * S + 70 * MS, &w); /* 20.3 to 40.7 W */
	assert_float_equal(w.watts, 30.5, 1e-9);
	assert_float_equal(w.joules, 30.5 * 2.04, 1e-9);
	series_free(&s);
}

static void means_hold_over_their_interval(void **state)
{
	struct series s = {.period = 1 * S};
	for (int i = 1; i <= 20; i++)
		add(&s, i * S, 1 * S, i <= 10 ? 2 : 6);
	struct meter_window w;
	series_window(&s, 3 * S, 20 * S, &w); /* 7 s at 2 W, 10 s at 6 W */
	assert_int_equal(w.verdict, METER_OK);
	assert_float_equal(w.joules, 74, 1e-9);
	series_window(&s, 9 * S + 500 * MS, 19 * S + 500 * MS, &w);
	assert_float_equal(w.joules, 0.5 * 2 + 9.5 * 6, 1e-9);
	series_free(&s);
}

static void a_slow_or_patchy_source_measures_nothing(void **state)
{
	struct series s = {.period = 100 * MS};
	struct meter_window w;
	for (int i = 0; i <= 300; i++)
		if (i < 100 || i >= 150)
			add(&s, i * 100 * MS, 0, 3);
	series_window(&s, 0, 300 * 100 * MS, &w); /* 51 of 300 intervals are missing */
	assert_int_equal(w.verdict, METER_GAPS);
	assert_float_equal(w.covered, 249.0 / 300, 1e-3);
	assert_true(isnan(w.watts) && isnan(w.joules));
	series_window(&s, 15 * S, 30 * S, &w);
	assert_int_equal(w.verdict, METER_OK);
	assert_float_equal(w.watts, 3, 1e-9);
	series_window(&s, 16 * S, 16 * S + 950 * MS, &w);
	assert_int_equal(w.verdict, METER_TOO_SLOW);
	series_window(&s, 29 * S, 31 * S, &w);
	assert_int_equal(w.verdict, METER_NOT_YET);
	series_window(&s, -5 * S, 5 * S, &w); /* begins before the first sample */
	assert_int_equal(w.verdict, METER_GAPS);
	char text[200];
	struct meter_info info = {.source = "scpi", .period = 100 * MS};
	series_window(&s, 16 * S, 16 * S + 500 * MS, &w);
	meter_explain(text, sizeof text, &info, &w, 16 * S, 16 * S + 500 * MS);
	assert_string_equal(text, "not measured: the scpi meter reads every 100 ms, too slow for a window of 500 ms");
	/* Time that stands still or goes back adds nothing. */
	assert_false(series_add(&s, &(struct meter_sample){.at = 300 * 100 * MS, .watts = 9}));
	series_free(&s);
}

/* Steps of 2 W in noise, on a clock that is off by a known amount: the offset comes back within its stated error. */
static void an_edge_tells_the_offset(void **state)
{
	struct rng r;
	rng_seed(&r, 5);
	for (int trial = 0; trial < 50; trial++) {
		double noise = trial % 2 ? 0.5 : 0.02;
		nsec truth = (nsec)((rng_unit(&r) - 0.5) * 40e9);
		struct meter_edge edge[] = {{.at = 100 * S, .around = 3 * S, .rises = true},
			{.at = 110 * S, .around = 3 * S, .rises = false},
			{.at = 140 * S, .around = 3 * S, .rises = true}};
		struct series s = {0};
		for (nsec t = 0; t < 250 * S; t += 20 * MS) {
			bool high = (t >= 100 * S && t < 110 * S) || t >= 140 * S;
			/* the sum of twelve uniform numbers: as good as Gaussian */
			double g = -6;
			for (int k = 0; k < 12; k++)
				g += rng_unit(&r);
			add(&s, t - truth, 0, (high ? 5 : 3) + noise * g);
		}
		series_settle(&s);
		assert_int_equal(s.period, 20 * MS);
		nsec offset, error;
		assert_true(series_align(&s, edge, 3, 30 * S, &offset, &error));
		assert_in_range(error, 10 * MS, 15 * MS);
		assert_in_range(offset - truth + 2 * error, 0, 4 * error);
		series_free(&s);
	}
}

static void noise_is_no_edge(void **state)
{
	struct rng r;
	rng_seed(&r, 6);
	struct meter_edge edge = {.at = 100 * S, .around = 3 * S, .rises = true};
	struct series s = {0};
	nsec offset, error;
	for (nsec t = 0; t < 200 * S; t += 20 * MS)
		add(&s, t, 0, 3);
	series_settle(&s);
	assert_false(series_align(&s, &edge, 1, 30 * S, &offset, &error)); /* flat */
	assert_false(series_align(&s, &edge, 0, 30 * S, &offset, &error)); /* nothing to align by */
	series_free(&s);
	assert_false(series_align(&s, &edge, 1, 30 * S, &offset, &error)); /* empty */
}

static char dir[32];

static const char *file(const char *name, const char *text)
{
	static char path[80];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static struct meter *must_open(const char *fmt, const char *path)
{
	char spec[200];
	struct meter *m = NULL;
	struct err err = {0};
	snprintf(spec, sizeof spec, fmt, path);
	if (meter_open(&m, spec, &err))
		fail_msg("%s: %s", spec, err.text);
	return m;
}

static void refused(const char *spec, const char *part)
{
	struct meter *m = NULL;
	struct err err = {0};
	assert_int_equal(meter_open(&m, spec, &err), -1);
	if (err.code != EXIT_USAGE || !strstr(err.text, part))
		fail_msg("'%s' gave %d: %s", spec, err.code, err.text);
}

/* The third reading of each log is 3 W at 2 s. */
static void logs_in_many_spellings(void **state)
{
	static const struct {
		const char *text, *options;
	} logs[] = {
		{"0,1\n1,2\n2,3\n3,4\n", ""},
		{"# a comment\ntime,power\n0,1\n1,2\n2,3\n", ""},
		{"\"Time (ms)\";\"Power (mW)\"\n0;1000\n1000;2000\n2000;3000\n", ""},
		{"time_us\tvolts\tcurrent_mA\n0\t5\t200\n1000000\t5\t400\n2000000\t5\t600\n", ""},
		{"n,elapsed,A,P\n1,0,7,1000\n2,1,7,2000\n3,2,7,3000\n", ",power=P,unit=mW"},
		{"when,watts\n0,1\n1,2\n\n2,3\n3,\n", ",time=when"},
		{"timestamp,power\n10,1\n11,2\n12,3\n", ",offset=-10"},
	};
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		char spec[200];
		snprintf(spec, sizeof spec, "csv:%s%s", file("log.csv", logs[i].text), logs[i].options);
		struct meter *m = must_open(spec, "");
		nsec before = nsec_now();
		assert_int_equal(meter_start(m, NULL), 0);
		struct meter_clock clock;
		struct err err = {0};
		if (meter_stop(m, NULL, 0, &clock, &err))
			fail_msg("%zu: %s", i, err.text);
		struct meter_sample s;
		assert_int_equal(meter_samples(m, 2, &s, 1), 1);
		assert_float_equal(s.watts, 3, 1e-9);
		assert_in_range(s.at - before - 2 * S, 0, S);
		assert_false(clock.checked);
		assert_non_null(
			strstr(clock.warning, strstr(spec, "offset") ? "taken as given" : "from the start of the run"));
		meter_close(m);
	}
}

static void absolute_times(void **state)
{
	char text[400];
	nsec wall = nsec_wall(), mono = nsec_now();
	time_t second = (time_t)(wall / S);
	char iso[64];
	strftime(iso, sizeof iso, "%Y-%m-%dT%H:%M:%S", gmtime(&second));
	snprintf(text, sizeof text, "time,power\n%s.250Z,1\n%lld.5,2\n", iso, (long long)second);
	struct meter *m = must_open("csv:%s", file("log.csv", text));
	assert_int_equal(meter_start(m, NULL), 0);
	assert_int_equal(meter_stop(m, NULL, 0, NULL, NULL), 0);
	struct meter_sample s[3];
	assert_int_equal(meter_samples(m, 0, s, 3), 2);
	nsec at = mono - wall + (nsec)second * S + 250 * MS;
	assert_in_range(s[0].at - at + 50 * MS, 0, 100 * MS);
	assert_in_range(s[1].at - s[0].at - 249 * MS, 0, 2 * MS);
	meter_close(m);
}

/* A log of a run with a step, read when the run is over: aligned by the step, or checked by it where an offset was
 * given. */
static void a_log_is_put_on_our_clock(void **state)
{
	char *text = malloc(100000), *p = text;
	p += sprintf(p, "time,power\n");
	for (int i = 0; i < 3000; i++) /* a step from 1 W to 4 W at 20 s of the log's clock */
		p += sprintf(p, "%.2f,%d\n", i * 0.02, i < 1000 ? 1 : 4);
	const char *path = file("step.csv", text);
	free(text);
	for (int fixed = 0; fixed < 2; fixed++) {
		struct meter *m = must_open(fixed ? "csv:%s,offset=-19.0" : "csv:%s", path);
		assert_int_equal(meter_start(m, NULL), 0);
		nsec edge_at = nsec_now() + 2 * S; /* truth: the log is 18 s ahead */
		struct meter_edge edge = {.at = edge_at, .around = 3 * S, .rises = true};
		struct meter_clock clock;
		assert_int_equal(meter_stop(m, &edge, 1, &clock, NULL), 0);
		assert_true(clock.checked);
		struct meter_window w;
		struct meter_info info;
		meter_describe(m, &info);
		assert_true(info.after_the_run);
		assert_int_equal(info.period, 20 * MS);
		meter_power(m, edge_at - 1 * S, edge_at + 1 * S, &w);
		assert_int_equal(w.verdict, METER_OK);
		if (fixed) { /* our word stands, with a warning that it is 1 s off */
			assert_float_equal(w.watts, 4, 0.05);
			assert_non_null(strstr(clock.warning, "off by +1.0"));
		} else {
			assert_float_equal(w.watts, 2.5, 0.05);
			assert_string_equal(clock.warning, "");
			assert_in_range(info.clock_error, 10 * MS, 11 * MS);
		}
		meter_close(m);
	}
}

static void bad_logs_and_specifications(void **state)
{
	refused("volts:x", "hwmon: scpi:// sigrok: nvme: csv:");
	refused("csv:", "no file");
	refused("csv:/nonexistent.csv", "let the instrument begin");
	refused("csv:x,offset", "NAME=VALUE");
	refused("csv:x,offset=soon", "not a number of seconds");
	refused("csv:x,unit=hp", "W, mW or uW");
	refused("csv:x,colour=red", "no option 'colour'");
	static const struct {
		const char *text, *part;
	} logs[] = {
		{"", "0 readings"},
		{"time,power\n", "0 readings"},
		{"0,1\n", "1 readings"},
		{"0,1\n2,2\n1,3\n", ":3: time goes back"},
		{"0,1\n1,x\n", ":2: 'x' is not a power"},
		{"0,1\nlater,2\n", ":2: 'later' is not a time"},
		{"0,1\n1\n", ":2: 1 columns"},
		{"time,power\n1e30,1\n", ":2: 1e+30 s is no time"},
	};
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		struct meter *m = must_open("csv:%s", file("bad.csv", logs[i].text));
		struct err err = {0};
		meter_start(m, NULL);
		assert_int_equal(meter_stop(m, NULL, 0, NULL, &err), -1);
		if (!strstr(err.text, logs[i].part))
			fail_msg("%zu: %s", i, err.text);
		meter_close(m);
	}
	/* What its first line tells is told before the run; a line that is still being written tells nothing. */
	char spec[200];
	snprintf(spec, sizeof spec, "csv:%s", file("bad.csv", "# log\ntime,weight\n0,1\n"));
	refused(spec, ":2: no column 'power'");
	file("bad.csv", "\n1\n");
	refused(spec, ":2: 1 columns where 2 are needed");
	file("bad.csv", "time,pow");
	meter_close(must_open("%s", spec));
}

static void a_sensor_chip(void **state)
{
	file("class/hwmon/hwmon0/name", "nvme\n");
	file("class/hwmon/hwmon1/name", "ina226\n");
	file("class/hwmon/hwmon1/power1_input", "3250000\n");
	file("class/hwmon/hwmon1/update_interval", "4\n");
	file("class/hwmon/hwmon2/name", "ina3221\n");
	file("class/hwmon/hwmon2/in2_input", "3300\n");
	file("class/hwmon/hwmon2/curr2_input", "500\n");
	file("class/hwmon/hwmon2/in2_label", "M.2\n");
	struct meter *m = must_open("hwmon:ina226,root=%s", dir);
	struct meter_info info;
	meter_describe(m, &info);
	assert_string_equal(info.source, "hwmon");
	assert_string_equal(info.instrument, "ina226 channel 1");
	assert_int_equal(info.period, 4 * MS);
	assert_false(info.after_the_run);
	nsec from = nsec_now();
	assert_int_equal(meter_start(m, NULL), 0);
	assert_true(meter_wait(m, from + 100 * MS, 10 * S));
	file("class/hwmon/hwmon1/power1_input", "7000000\n");
	assert_true(meter_wait(m, from + 200 * MS, 10 * S));
	assert_int_equal(meter_stop(m, NULL, 0, NULL, NULL), 0);
	struct meter_sample s;
	assert_int_equal(meter_samples(m, 0, &s, 1), 1);
	assert_float_equal(s.watts, 3.25, 1e-9);
	assert_true(s.at >= from);
	size_t n = 0;
	while (meter_samples(m, n, &s, 1))
		n++;
	assert_true(n >= 2);
	assert_float_equal(s.watts, 7, 1e-9);
	meter_close(m);

	m = must_open("hwmon:ina3221/2,root=%s,period=5ms", dir);
	meter_describe(m, &info);
	assert_string_equal(info.instrument, "ina3221 channel 2 M.2");
	assert_int_equal(meter_start(m, NULL), 0);
	assert_true(meter_wait(m, nsec_now(), 10 * S));
	assert_int_equal(meter_stop(m, NULL, 0, NULL, NULL), 0);
	assert_int_equal(meter_samples(m, 0, &s, 1), 1);
	assert_float_equal(s.watts, 1.65, 1e-9);
	meter_close(m);

	char spec[100];
	snprintf(spec, sizeof spec, "hwmon:ina260,root=%s", dir);
	refused(spec, "there are: ");
	snprintf(spec, sizeof spec, "hwmon:nvme,root=%s", dir);
	refused(spec, "neither power1_input nor");
	refused("hwmon:ina226/powerful", "is not a channel");
	refused("hwmon:ina226,period=1ms", "2 ms or more");
}

/* A pause leaves a gap; a chip that vanishes ends the meter with the reason, and keeps what was read. */
static void pause_and_loss(void **state)
{
	file("class/hwmon/hwmon5/name", "ina228\n");
	const char *power = file("class/hwmon/hwmon5/power1_input", "1000000\n");
	struct meter *m = must_open("hwmon:ina228,root=%s,period=2ms", dir);
	assert_int_equal(meter_start(m, NULL), 0);
	assert_true(meter_wait(m, nsec_now() + 20 * MS, 10 * S));
	meter_pause(m, true);
	usleep(120000); /* more than the slice that may still be going on */
	struct meter_sample last = {0}, s;
	size_t n = 0;
	while (meter_samples(m, n, &last, 1))
		n++;
	usleep(50000);
	assert_int_equal(meter_samples(m, n, &s, 1), 0);
	meter_pause(m, false);
	assert_true(meter_wait(m, nsec_now() + 20 * MS, 10 * S));
	struct meter_window w;
	meter_power(m, last.at - 10 * MS, nsec_now() - 20 * MS, &w);
	assert_int_equal(w.verdict, METER_GAPS);
	unlink(power);
	assert_false(meter_wait(m, NSEC_NEVER, 10 * S)); /* returns when the source is given up */
	struct err err = {0};
	assert_int_equal(meter_stop(m, NULL, 0, NULL, &err), -1);
	assert_non_null(strstr(err.text, "stopped answering"));
	assert_int_equal(meter_samples(m, 0, &s, 1), 1);
	meter_close(m);
}

static int make_dir(void **state)
{
	snprintf(dir, sizeof dir, "test-meter-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];
	snprintf(command, sizeof command, "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instants_are_joined_by_lines),
		cmocka_unit_test(means_hold_over_their_interval),
		cmocka_unit_test(a_slow_or_patchy_source_measures_nothing),
		cmocka_unit_test(an_edge_tells_the_offset),
		cmocka_unit_test(noise_is_no_edge),
		cmocka_unit_test(logs_in_many_spellings),
		cmocka_unit_test(absolute_times),
		cmocka_unit_test(a_log_is_put_on_our_clock),
		cmocka_unit_test(bad_logs_and_specifications),
		cmocka_unit_test(a_sensor_chip),
		cmocka_unit_test(pause_and_loss),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
