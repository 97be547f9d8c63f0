// SPDX-License-Identifier: MIT
/* Instruments on the network and behind sigrok-cli, against a small one of our own that listens on this machine.
 * sigrok-cli must take it for an instrument too: then our reading of SCPI is not only our own. */
#include "unit.h"

#include "meter/meter.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS NSEC_PER_MSEC
#define S NSEC_PER_SEC

/* The instrument. */
static struct {
	int listener, port;
	pthread_t thread;
	atomic_bool stop, silent, hang_up; /* answers nothing; closes the connection once */
	const char *idn;
	_Atomic double watts;
	atomic_int asked, connections;
	char selected[64];
} box;

static void answer(int fd, const char *command)
{
	char text[128] = "";
	if (!strcmp(command, "*IDN?"))
		snprintf(text, sizeof text, "%s\r\n", box.idn);
	else if (!strcmp(command, "*OPC?"))
		snprintf(text, sizeof text, "1\n");
	else if (!strncmp(command, ":MEAS:POW", 9) || !strcmp(command, "P?"))
		snprintf(text, sizeof text, "%.4f\n", box.watts), box.asked++;
	else if (strstr(command, "MEAS:VOLT?"))
		snprintf(text, sizeof text, "%.4E\n", 3.3), box.asked++;
	else if (strstr(command, "MEAS:CURR?"))
		snprintf(text, sizeof text, "%.6E\n", box.watts / 3.3);
	else if (!strncmp(command, "INST:NSEL ", 10))
		snprintf(box.selected, sizeof box.selected, "%s", command + 10);
	else if (strchr(command, '?'))
		snprintf(text, sizeof text, "0\n");
	if (text[0] && !box.silent)
		assert_true(send(fd, text, strlen(text), MSG_NOSIGNAL) > 0);
}

static void converse(int fd)
{
	char line[256];
	size_t n = 0;
	while (!box.stop) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (atomic_exchange(&box.hang_up, false))
			return;
		if (poll(&p, 1, 10) <= 0)
			continue;
		char c;
		if (recv(fd, &c, 1, 0) != 1)
			return;
		if (c != '\n' && n < sizeof line - 1) {
			if (c != '\r')
				line[n++] = c;
			continue;
		}
		line[n] = 0;
		n = 0;
		answer(fd, line);
	}
}

static void *serve(void *arg)
{
	while (!box.stop) {
		struct pollfd p = {.fd = box.listener, .events = POLLIN};
		if (poll(&p, 1, 10) <= 0)
			continue;
		int fd = accept(box.listener, NULL, NULL);
		box.connections++;
		converse(fd);
		close(fd);
	}
	return NULL;
}

static int plug_in(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	memset(&box, 0, sizeof box);
	box.idn = "RIGOL TECHNOLOGIES,DP832,DP8A000000001,00.01.14";
	box.watts = 2.5;
	box.listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(box.listener, (struct sockaddr *)&a, size) || listen(box.listener, 4) ||
		getsockname(box.listener, (struct sockaddr *)&a, &size))
		return -1;
	box.port = ntohs(a.sin_port);
	return pthread_create(&box.thread, NULL, serve, NULL);
}

static int unplug(void **state)
{
	box.stop = true;
	pthread_join(box.thread, NULL);
	return close(box.listener);
}

static struct meter *must_open(const char *fmt)
{
	char spec[200];
	struct meter *m = NULL;
	struct err err = {0};
	snprintf(spec, sizeof spec, fmt, box.port);
	if (meter_open(&m, spec, &err))
		fail_msg("%s: %s", spec, err.text);
	return m;
}

static void refused(const char *fmt, enum exit_code code, const char *part)
{
	char spec[200];
	struct meter *m = NULL;
	struct err err = {0};
	snprintf(spec, sizeof spec, fmt, box.port);
	assert_int_equal(meter_open(&m, spec, &err), -1);
	if (err.code != code || !strstr(err.text, part))
		fail_msg("'%s' gave %d: %s", spec, err.code, err.text);
}

/* Samples for a while; the last reading. */
static double watts_of(struct meter *m)
{
	struct meter_sample s = {0};
	size_t n = 0;
	nsec from = nsec_now();
	assert_int_equal(meter_start(m, NULL), 0);
	assert_true(meter_wait(m, from + 50 * MS, 20 * S));
	assert_int_equal(meter_stop(m, NULL, 0, NULL, NULL), 0);
	while (meter_samples(m, n, &s, 1)) {
		assert_true(s.at >= from);
		n++;
	}
	assert_true(n > 0);
	meter_close(m);
	return s.watts;
}

static void a_supply_that_is_known(void **state)
{
	struct meter *m = must_open("scpi://127.0.0.1:%d/2");
	struct meter_info info;
	meter_describe(m, &info);
	assert_string_equal(info.source, "scpi");
	assert_string_equal(info.instrument, "RIGOL TECHNOLOGIES,DP832,DP8A000000001,00.01.14 channel 2");
	assert_true(info.period >= 10 * MS && info.clock_error > 0);
	assert_float_equal(watts_of(m), 2.5, 1e-4);
	assert_string_equal(box.selected, ""); /* asked by channel, nothing changed on the instrument */
}

static void one_that_is_not(void **state)
{
	box.idn = "ACME,PSU 1,0,1";
	assert_float_equal(watts_of(must_open("scpi://127.0.0.1:%d/3")), 2.5, 1e-3); /* volts times amperes */
	assert_string_equal(box.selected, "3");
	assert_float_equal(watts_of(must_open("scpi://127.0.0.1:%d,power=P?")), 2.5, 1e-4);
}

static void a_broken_connection_is_made_again(void **state)
{
	box.idn = "HAMEG,HMP4040,1,2";
	struct meter *m = must_open("scpi://127.0.0.1:%d/4");
	assert_string_equal(box.selected, "4");
	assert_int_equal(meter_start(m, NULL), 0);
	assert_true(meter_wait(m, nsec_now() + 50 * MS, 20 * S));
	box.selected[0] = 0;
	nsec broken = nsec_now();
	box.hang_up = true;
	assert_true(meter_wait(m, broken + 700 * MS, 20 * S));
	assert_int_equal(box.connections, 2);
	assert_string_equal(box.selected, "4"); /* told again which channel */
	struct meter_window w;
	meter_power(m, broken - 20 * MS, broken + 500 * MS, &w);
	assert_int_equal(w.verdict, METER_GAPS);
	assert_int_equal(meter_stop(m, NULL, 0, NULL, NULL), 0);
	meter_close(m);
}

static void bad_instruments(void **state)
{
	refused("scpi://127.0.0.1:%d/x", EXIT_USAGE, "not a channel number");
	refused("scpi://:%d", EXIT_USAGE, "not an address");
	refused("scpi://127.0.0.1:%d,colour=red", EXIT_USAGE, "no option");
	refused("scpi://127.0.0.1:%d,volts=V?", EXIT_USAGE, "go together");
	refused("scpi://127.0.0.1:%d,period=0s", EXIT_USAGE, "1 ms or more");
	refused("scpi://127.0.0.1:1", EXIT_FAILED, "cannot connect");
	refused("scpi://no-such-host.invalid", EXIT_USAGE, "no host");
	refused("scpi://127.0.0.1:%d,power=SYST:ERR", EXIT_FAILED, "power=QUERY"); /* not a query */
	box.silent = true;
	refused("scpi://127.0.0.1:%d", EXIT_FAILED, "does not say who it is");
}

static void need_sigrok(void)
{
	if (system("command -v sigrok-cli >/dev/null")) {
		print_message("skipped: needs sigrok-cli\n");
		skip();
	}
}

/* sigrok's own driver for SCPI supplies finds our box, and reads the same through it. */
static void sigrok_takes_it_for_an_instrument(void **state)
{
	need_sigrok();
	char command[200], line[300], all[2000] = "";
	snprintf(command, sizeof command, "sigrok-cli --driver scpi-pps:conn=tcp-raw/127.0.0.1/%d --scan 2>&1",
		box.port);
	FILE *f = popen(command, "r");
	while (fgets(line, sizeof line, f))
		strncat(all, line, sizeof all - strlen(all) - 1);
	pclose(f);
	if (!strstr(all, "Rigol DP832"))
		fail_msg("%s", all);
	struct meter *m = must_open("sigrok:scpi-pps:conn=tcp-raw/127.0.0.1/%d/P1");
	struct meter_info info;
	meter_describe(m, &info);
	assert_string_equal(info.source, "sigrok");
	assert_float_equal(watts_of(m), 2.5, 1e-3);
	assert_float_equal(watts_of(must_open("sigrok:scpi-pps:conn=tcp-raw/127.0.0.1/%d/V1+I1")), 2.5, 1e-3);
}

/* sigrok's demonstration driver: A0 is a square wave of 10 V. */
static void sigrok_demo(void **state)
{
	need_sigrok();
	struct meter *m = must_open("sigrok:demo/A0,config=samplerate=100,factor=0.2");
	double w = watts_of(m);
	assert_float_equal(w < 0 ? -w : w, 2, 1e-3);
	refused("sigrok:no-such-driver/A0", EXIT_FAILED, "the program ended");
	refused("sigrok:", EXIT_USAGE, "no driver");
	refused("sigrok:demo/A0,factor=x", EXIT_USAGE, "watts per unit");
	refused("sigrok:demo/A0,colour=red", EXIT_USAGE, "no option");
}

static void a_drive_without_a_meter_in_it(void **state)
{
	refused("nvme:/dev/null", EXIT_USAGE, "no NVMe drive");
	refused("nvme:/dev/nvme77", EXIT_USAGE, "cannot open");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, plug_in, unplug)
	const struct CMUnitTest tests[] = {
		CASE(a_supply_that_is_known),
		CASE(one_that_is_not),
		CASE(a_broken_connection_is_made_again),
		CASE(bad_instruments),
		CASE(sigrok_takes_it_for_an_instrument),
		CASE(sigrok_demo),
		CASE(a_drive_without_a_meter_in_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
