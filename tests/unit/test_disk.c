// SPDX-License-Identifier: MIT
/* What is read from sysfs, on a small tree made here: an NVMe drive with a partition, a SATA drive, a virtio one. */
#include "unit.h"

#include "target/disk.h"
#include "target/drives.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static char root[64];

static void put_bytes(const char *path, const void *data, size_t bytes)
{
	char full[512];
	snprintf(full, sizeof full, "%s/%s", root, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	FILE *f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, bytes, f), bytes);
	fclose(f);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static void number(const char *device, const char *dir)
{
	char link[512], to[512];
	snprintf(link, sizeof link, "%s/dev/block/%s", root, device);
	snprintf(to, sizeof to, "../../%s", dir);
	assert_int_equal(symlink(to, link), 0);
}

static int make_tree(void **state)
{
	snprintf(root, sizeof root, "test-disk-XXXXXX");
	assert_non_null(mkdtemp(root));
	put("dev/block/.keep", "");
	put("devices/pci/nvme0/nvme0n1/size", "1953525168\n");
	put("devices/pci/nvme0/nvme0n1/dev", "259:0\n");
	put("devices/pci/nvme0/nvme0n1/stat", "   1 2 3 4 5 6 2048 8 9 10 11 12 13 14 15 16 17\n");
	put("devices/pci/nvme0/nvme0n1/queue/logical_block_size", "4096\n");
	put("devices/pci/nvme0/nvme0n1/queue/max_sectors_kb", "128\n");
	put("devices/pci/nvme0/nvme0n1/queue/discard_max_bytes", "2199023255040\n");
	put("devices/pci/nvme0/nvme0n1/device/model", "KXG60ZNV1T02 TOSHIBA                    \n");
	put("devices/pci/nvme0/nvme0n1/device/serial", "  X9SF 71 \n");
	put("devices/pci/nvme0/nvme0n1/device/firmware_rev", "AGGA4104\n");
	put("devices/pci/nvme0/nvme0n1/device/hwmon3/temp1_input", "41850\n");
	put("devices/pci/nvme0/nvme0n1/nvme0n1p2/partition", "2\n");
	put("devices/pci/nvme0/nvme0n1/nvme0n1p2/dev", "259:2\n");
	put("devices/pci/nvme0/nvme0n1/nvme0n1p2/start", "2048\n");
	put("devices/pci/nvme0/nvme0n1/nvme0n1p2/size", "8192\n");
	put("devices/pci/nvme0/nvme0n1/holders/dm-0", "");
	number("259:0", "devices/pci/nvme0/nvme0n1");
	number("259:2", "devices/pci/nvme0/nvme0n1/nvme0n1p2");
	put("devices/ata/block/sda/size", "500118192\n");
	put("devices/ata/block/sda/queue/rotational", "1\n");
	put("devices/ata/block/sda/device/vendor", "ATA     \n");
	put("devices/ata/block/sda/device/model", "Samsung SSD 850 \n");
	put("devices/ata/block/sda/device/rev", "2B6Q\n");
	put_bytes("devices/ata/block/sda/device/vpd_pg80", "\0\x80\0\x14      S21PNXAG123456", 24);
	put("devices/ata/block/sda/device/hwmon/hwmon0/temp1_input", "33000\n");
	number("8:0", "devices/ata/block/sda");
	put("devices/usb/block/sdb/size", "100\n");
	put("devices/usb/block/sdb/device/vendor", "SanDisk \n");
	put("devices/usb/block/sdb/device/model", "Ultra   \n");
	put_bytes("devices/usb/block/sdb/device/vpd_pg80",
		"\0\x80\0\xff"
		"AB",
		6); /* shorter than it says */
	number("8:16", "devices/usb/block/sdb");
	put("devices/virtio/block/vda/size", "0\n");
	put("devices/virtio/block/vda/device/vendor", "0x1af4\n");
	put("devices/virtio/block/vda/serial", "disk-17\n");
	number("254:0", "devices/virtio/block/vda");
	return 0;
}

static int remove_tree(void **state)
{
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", root);
	return system(command);
}

static void an_nvme_drive(void **state)
{
	struct disk d;
	assert_int_equal(disk_read(&d, root, makedev(259, 0), NULL), 0);
	assert_string_equal(d.name, "nvme0n1");
	assert_string_equal(d.model, "KXG60ZNV1T02 TOSHIBA");
	assert_string_equal(d.serial, "X9SF 71");
	assert_string_equal(d.firmware, "AGGA4104");
	assert_int_equal(d.bytes, 1000204886016);
	assert_int_equal(d.logical_block_bytes, 4096);
	assert_int_equal(d.max_transfer_bytes, 131072);
	assert_true(d.can_discard);
	assert_false(d.partition || d.rotational);
	uint64_t written;
	assert_int_equal(disk_bytes_written(&d, &written), 0);
	assert_int_equal(written, 1048576);
	double celsius;
	assert_int_equal(disk_temperature(&d, &celsius), 0);
	assert_float_equal(celsius, 41.85, 1e-9);
}

static void a_partition_knows_its_drive(void **state)
{
	struct disk d;
	assert_int_equal(disk_read(&d, root, makedev(259, 2), NULL), 0);
	assert_true(d.partition);
	assert_string_equal(d.name, "nvme0n1p2");
	assert_string_equal(d.serial, "X9SF 71");
	assert_int_equal(d.start, 1048576);
	assert_int_equal(d.bytes, 4194304);
	assert_int_equal(d.logical_block_bytes, 4096);
	assert_true(d.can_discard);
	uint64_t written;
	assert_int_equal(disk_bytes_written(&d, &written), -1);
}

static void scsi_and_virtio(void **state)
{
	struct disk d;
	double celsius;
	assert_int_equal(disk_read(&d, root, makedev(8, 0), NULL), 0);
	assert_string_equal(d.model, "Samsung SSD 850");
	assert_string_equal(d.serial, "S21PNXAG123456");
	assert_string_equal(d.firmware, "2B6Q");
	assert_true(d.rotational);
	assert_false(d.can_discard);
	assert_int_equal(d.logical_block_bytes, 512);
	assert_int_equal(d.max_transfer_bytes, 0);
	assert_int_equal(disk_temperature(&d, &celsius), 0);
	assert_float_equal(celsius, 33, 1e-9);
	assert_int_equal(disk_read(&d, root, makedev(8, 16), NULL), 0);
	assert_string_equal(d.model, "SanDisk Ultra");
	assert_string_equal(d.serial, "AB");
	assert_int_equal(disk_temperature(&d, &celsius), -1);
	assert_int_equal(disk_read(&d, root, makedev(254, 0), NULL), 0);
	assert_string_equal(d.serial, "disk-17");
	assert_string_equal(d.model, "");
	assert_int_equal(d.bytes, 0);
	struct err err = {0};
	assert_int_equal(disk_read(&d, root, makedev(9, 9), &err), -1);
	assert_non_null(strstr(err.text, "9:9"));
}

static void name(void *arg, const char *path)
{
	strcat(strcat(arg, strrchr(path, '/') + 1), " ");
}

static void relations(void **state)
{
	struct disk d;
	char names[256] = "";
	assert_int_equal(disk_read(&d, root, makedev(259, 0), NULL), 0);
	assert_int_equal(disk_each(d.dir, NULL, name, names), 1);
	assert_string_equal(names, "nvme0n1p2 ");
	assert_int_equal(disk_each(d.dir, "holders", name, names), 1);
	assert_string_equal(names, "nvme0n1p2 dm-0 ");
	assert_int_equal(disk_each(d.dir, "nothing", name, names), 0);
	assert_int_equal(disk_number(d.dir), makedev(259, 0));
	assert_int_equal(disk_number(root), 0);
}

static void link_of(const char *dir, const char *expected, const char *expected_warning)
{
	char path[200], link[64], warning[96];
	snprintf(path, sizeof path, "%s/%s", root, dir);
	drive_link(link, sizeof link, warning, sizeof warning, path);
	assert_string_equal(link, expected);
	assert_string_equal(warning, expected_warning);
}

/* A block device's `device` link leads to its controller; above that is the PCI function with the link's speed. */
static void links(void **state)
{
	char to[300];
	put("l/pci0/0000:01:00.0/current_link_speed", "8.0 GT/s PCIe\n");
	put("l/pci0/0000:01:00.0/current_link_width", "2\n");
	put("l/pci0/0000:01:00.0/max_link_speed", "16.0 GT/s PCIe\n");
	put("l/pci0/0000:01:00.0/max_link_width", "4\n");
	put("l/pci0/0000:01:00.0/nvme/nvme0/nvme0n1/size", "8\n");
	snprintf(to, sizeof to, "%s/l/pci0/0000:01:00.0/nvme/nvme0/nvme0n1/device", root);
	assert_int_equal(symlink("..", to), 0);
	link_of("l/pci0/0000:01:00.0/nvme/nvme0/nvme0n1", "PCIe 8.0 GT/s x2", "the drive can do 16.0 GT/s x4");
	put("l/pci0/0000:01:00.0/max_link_speed", "8.0 GT/s PCIe\n");
	put("l/pci0/0000:01:00.0/max_link_width", "2\n");
	link_of("l/pci0/0000:01:00.0/nvme/nvme0/nvme0n1", "PCIe 8.0 GT/s x2", "");
	/* A SATA drive's PCI function is its host adapter. */
	put("l/pci0/0000:02:00.0/current_link_speed", "5.0 GT/s PCIe\n");
	put("l/pci0/0000:02:00.0/current_link_width", "1\n");
	put("l/pci0/0000:02:00.0/ata3/link3/ata_link/link3/sata_spd", "6.0 Gbps\n");
	put("l/pci0/0000:02:00.0/ata3/host2/target/2:0:0:0/block/sda/size", "8\n");
	snprintf(to, sizeof to, "%s/l/pci0/0000:02:00.0/ata3/host2/target/2:0:0:0/block/sda/device", root);
	assert_int_equal(symlink("../..", to), 0);
	link_of("l/pci0/0000:02:00.0/ata3/host2/target/2:0:0:0/block/sda", "SATA 6.0 Gbps", "");
	link_of("nowhere", "", "");
}

/* Facts and warnings, one a line. */
static void note_fact(void *arg, const char *fact, const char *value, const char *warning)
{
	char *text = arg;
	sprintf(text + strlen(text), "%s=%s%s%s\n", fact, value, warning ? " !" : "", warning ? warning : "");
}

static void facts_that_may_explain_a_figure(void **state)
{
	struct disk d;
	char text[4000] = "";
	put("devices/pci/nvme0/nvme0n1/queue/scheduler", "none [mq-deadline] kyber\n");
	put("devices/pci/nvme0/nvme0n1/queue/write_cache", "write back\n");
	assert_int_equal(disk_read(&d, root, makedev(259, 0), NULL), 0);
	drive_facts(&d, NULL, note_fact, text);
	assert_non_null(strstr(text, "scheduler=mq-deadline !an I/O scheduler costs time"));
	assert_non_null(strstr(text, "largest request=128 KiB\n"));
	assert_non_null(strstr(text, "write cache=write back\n"));
	put("devices/pci/nvme0/nvme0n1/queue/scheduler", "[none] mq-deadline\n");
	text[0] = 0;
	drive_facts(&d, NULL, note_fact, text);
	assert_non_null(strstr(text, "scheduler=none\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_nvme_drive),
		cmocka_unit_test(a_partition_knows_its_drive),
		cmocka_unit_test(scsi_and_virtio),
		cmocka_unit_test(relations),
		cmocka_unit_test(links),
		cmocka_unit_test(facts_that_may_explain_a_figure),
	};
	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
