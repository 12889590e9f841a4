/* src/live/flows/flows_test.c - datagrams made by hand from the specifications, and the flow records read
 * from them. */
#include "live/flows/collector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* RC WRITE Only of eight bytes, 10.0.0.1 to 10.0.0.2, queue pair 0x123, UDP source port 0xc001: 82 bytes. */
#define WRITE_FRAME \
    "020000000002020000000001" "0800" "456a0044000040004011263d0a0000010a000002" "c00112b700300000" \
    "0a40ffff0000012380000005" "00000000000010000000123400000008" "0001020304050607" "3224e760"

static uint8_t bytes[4096];
static size_t  length;

static void put(const char *hex)
{
    unsigned value;

    for (; *hex; hex += 2) {
        while (*hex == ' ')
            hex++;
        assert_int_equal(sscanf(hex, "%2x", &value), 1);
        bytes[length++] = (uint8_t)value;
    }
}

static void make(const char *hex)
{
    length = 0;
    put(hex);
}

static struct flow_record record[16];
static int                count;

static void keep(void *arg, const struct flow_record *r)
{
    (void)arg;
    if (count < 16)
        record[count] = *r;
    count++;
}

/* ---- frames ---- */

static void frame_read__a_write_of_rocev2(void **state)
{
    struct flow_record r;

    (void)state;
    make(WRITE_FRAME);
    assert_int_equal(length, 82);
    assert_true(frame_read(&r, bytes, length));
    assert_int_equal(r.bytes, 68);
    assert_int_equal(r.qp, 0x123);
    assert_int_equal(r.source_port, 0xc001);
    assert_int_equal(r.target_port, 4791);
    assert_memory_equal(r.source, "\x0a\0\0\1", 4);
    for (size_t i = 0; i < 34; i++)
        assert_false(frame_read(&r, bytes, i));
}

static void frame_read__vlans_and_fragments(void **state)
{
    struct flow_record r;

    (void)state;
    make("020000000002020000000001" "88a80064" "81006003" "0800" "456a0044000040004011263d0a0000010a000002"
         "c00112b700300000");
    assert_true(frame_read(&r, bytes, length));
    assert_int_equal(r.target_port, 4791);
    assert_int_equal(r.qp, RECORD_QP_NONE);      /* cut off before the BTH */
    make("020000000002020000000001" "0800" "456a0044000000104011263d0a0000010a000002" "c00112b700300000");
    assert_true(frame_read(&r, bytes, length));
    assert_int_equal(r.target_port, 0);          /* a later fragment has no ports */
    make("020000000002020000000001" "0806" "0001080006040001");
    assert_false(frame_read(&r, bytes, length));
}

/* ---- sFlow ---- */

static void make_sflow(void)
{
    make("00000005 00000001 c0000201 00000000 00000001 0000ea60 00000001"
         "00000001 0000008c 00000001 00000003 000003e8 000f4240 00000000 00000003 00000004 00000001"
         "00000001 00000064 00000001 00000056 00000004 00000052" WRITE_FRAME "0000");
}

static void sflow_read__a_sampled_packet_stands_for_many(void **state)
{
    (void)state;
    make_sflow();
    assert_int_equal(length, 176);
    count = 0;
    assert_int_equal(sflow_read(bytes, length, keep, NULL), 0);
    assert_int_equal(count, 1);
    assert_int_equal(record[0].bytes, 68000);
    assert_int_equal(record[0].qp, 0x123);
    /* cut off anywhere: refused, and no further record */
    for (size_t i = 0; i < 176; i++)
        assert_true(sflow_read(bytes, i, keep, NULL) < 0);
    assert_int_equal(count, 1);
}

static void sflow_read__skips_unknown_records(void **state)
{
    (void)state;
    make("00000005 00000002 20010db8000000000000000000000001 00000000 00000007 0000ea60 00000003"
         "00000002 00000004 deadbeef"                    /* counters */
         "00001999 00000003 11223300"                    /* of an enterprise */
         "00000003 00000050 00000001 00000000 00000003 00000064 00000000 00000000 00000000 00000003 00000000 "
         "00000004 00000001"
         /* expanded, IPv4, no tos */
         "00000003 0000001c 000005dc 00000011 0a000001 0a000002 0000c001 000012b7 00000000");
    count = 0;
    assert_int_equal(sflow_read(bytes, length, keep, NULL), 0);
    assert_int_equal(count, 1);
    assert_int_equal(record[0].bytes, 150000);
    assert_int_equal(record[0].source_port, 0xc001);
}

/* ---- NetFlow 9 and IPFIX ---- */

#define V9_HEAD      "0009 0001 00000000 00000000 00000001 00000007"
#define V9_TEMPLATE  "0000 0024 0100 0007" "00080004" "000c0004" "00070002" "000b0002" "00040001" "00010004" "00020004"
#define FLOW_DATA    "0a000001 0a000002 c001 12b7 11 000186a0 00000064"

static void ipfix_read__version_9(void **state)
{
    static struct ipfix x;
    uint64_t            unknown = 0;

    (void)state;
    memset(&x, 0, sizeof x);
    count = 0;
    make(V9_HEAD "0100 001c" FLOW_DATA "000000");
    assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    assert_int_equal(unknown, 1);          /* the template comes later */
    make(V9_HEAD V9_TEMPLATE "0100 001c" FLOW_DATA "000000");
    assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    assert_int_equal(count, 1);
    assert_int_equal(record[0].bytes, 100000);
    assert_int_equal(record[0].target_port, 4791);
    assert_int_equal(record[0].qp, RECORD_QP_NONE);
    make(V9_HEAD "0100 001c" FLOW_DATA "000000");
    assert_int_equal(ipfix_read(&x, 2, bytes, length, keep, NULL, &unknown), 0);
    assert_int_equal(unknown, 2);                /* the template is that of another exporter */
    assert_int_equal(count, 1);
}

static void ipfix_read__sampling_from_options(void **state)
{
    static struct ipfix x;
    uint64_t            unknown = 0;

    (void)state;
    memset(&x, 0, sizeof x);
    count = 0;
    /* scope system, samplingInterval */
    make(V9_HEAD V9_TEMPLATE "0001 0012 0101 0004 0004" "00010004" "00220004"
         "0101 000c 00000000 000001f4" "0100 001c" FLOW_DATA "000000");
    assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    assert_int_equal(count, 1);
    assert_int_equal(record[0].bytes, 100000 * 500);
}

static void ipfix_read__ipfix_with_variable_and_foreign_fields(void **state)
{
    static struct ipfix x;
    uint64_t            unknown = 0;

    (void)state;
    memset(&x, 0, sizeof x);
    count = 0;
    make("000a 0000 00000000 00000001 00000009"
         "0002 002c 0100 0008" "00080004" "000c0004" "00070002" "000b0002" "00040001" "00010003"
         "8001ffff 0000303f" "00880001"
         "0100 001c" "0a000001 0a000002 c001 12b7 11 0186a0" "03616263" "03" "000000");
    bytes[3] = (uint8_t)length;
    assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    assert_int_equal(count, 1);
    assert_int_equal(record[0].bytes, 100000);     /* three bytes hold it */
    assert_true(record[0].is_ended);
    make("000a 0018 00000000 00000002 00000009" "0002 0008 0100 0000");          /* withdraws the template */
    assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    make("000a 0020 00000000 00000003 00000009" "0100 0010 0a000001 0a000002 c00112b7");
    assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    assert_int_equal(unknown, 1);
}

static void ipfix_read__evicts_the_oldest_template(void **state)
{
    static struct ipfix x;
    uint64_t            unknown = 0;

    (void)state;
    memset(&x, 0, sizeof x);
    for (unsigned id = 256; id < 256 + 2 * IPFIX_TEMPLATES; id++) {
        make(V9_HEAD V9_TEMPLATE);
        bytes[24] = (uint8_t)(id >> 8);
        bytes[25] = (uint8_t)id;
        assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    }
    count = 0;
    make(V9_HEAD "0100 001c" FLOW_DATA "000000" "02ff 001c" FLOW_DATA "000000");
    assert_int_equal(ipfix_read(&x, 1, bytes, length, keep, NULL, &unknown), 0);
    assert_int_equal(unknown, 1);
    assert_int_equal(count, 1);
}

/* ---- the collector ---- */

static const uint8_t here[16] = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 };

static void collector_read__windows_become_distributions(void **state)
{
    static struct collector c;
    struct fsd              fsd;

    (void)state;
    collector_init(&c, 1000000);
    collector_read(&c, 1, &fsd);
    assert_int_equal(fsd.elephants + fsd.mice, 0);
    make_sflow();
    for (int i = 0; i < 20; i++)                 /* 20 samples of 68 KB: 1.36 MB, an elephant */
        collector_take(&c, here, bytes, length);
    bytes[92 + 49] ^= 1;                         /* another queue pair */
    collector_take(&c, here, bytes, length);
    collector_read(&c, 500000, &fsd);
    assert_int_equal(fsd.elephants, 0);          /* the window is still open */
    collector_read(&c, 1000002, &fsd);
    assert_int_equal(fsd.elephants, FSD_ONE);
    assert_int_equal(fsd.mice, FSD_ONE);
    assert_int_equal(fsd.bin[fsd_bin(1360000)], 1);
    collector_read(&c, 2000002, &fsd);
    assert_int_equal(fsd.elephants + fsd.mice, 0);       /* silent flows do not count */
    assert_int_equal(c.used, 2);
    for (uint64_t i = 3; i < 40; i++)
        collector_read(&c, i * 1000000 + 2, &fsd);
    assert_int_equal(c.used, 0);                 /* and are finally forgotten */
    collector_fini(&c);
}

static void collector_take__strangers_and_others_do_not_count(void **state)
{
    static struct collector c;
    struct err              err;
    struct fsd              fsd;

    (void)state;
    collector_init(&c, 1000000);
    assert_true(collector_allow(&c, "not.an.address", &err) < 0);
    assert_int_equal(collector_allow(&c, "192.0.2.7", &err), 0);
    assert_int_equal(collector_allow(&c, "2001:db8::1", &err), 0);
    make_sflow();
    collector_take(&c, here, bytes, length);
    assert_int_equal(c.counts.strangers, 1);
    assert_int_equal(c.counts.records, 0);
    assert_int_equal(collector_allow(&c, "192.0.2.1", &err), 0);
    collector_take(&c, here, bytes, length);
    assert_int_equal(c.counts.records, 1);
    make("0000000400000000");
    collector_take(&c, here, bytes, length);
    assert_int_equal(c.counts.bad, 1);
    make(V9_HEAD V9_TEMPLATE "0100 001c" "0a000001 0a000002 c001 0050 06 000186a0 00000064" "000000");
    collector_take(&c, here, bytes, length);
    assert_int_equal(c.counts.other, 1);         /* TCP */
    collector_read(&c, 1, &fsd);
    collector_read(&c, 1000001, &fsd);
    assert_int_equal(fsd.mice, FSD_ONE);
    collector_fini(&c);
}

static void collector_take__bounds_its_memory(void **state)
{
    static struct collector c;

    (void)state;
    collector_init(&c, 1000000);
    for (uint32_t i = 0; i < COLLECTOR_FLOWS_MAX + 100; i++) {
        make_sflow();
        bytes[92 + 29] = (uint8_t)(i >> 8);      /* addresses */
        bytes[92 + 30] = (uint8_t)(i >> 16);
        bytes[92 + 31] = (uint8_t)i;
        collector_take(&c, here, bytes, length);
    }
    assert_int_equal(c.used, COLLECTOR_FLOWS_MAX);
    assert_int_equal(c.counts.full, 100);
    collector_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_read__a_write_of_rocev2),
        cmocka_unit_test(frame_read__vlans_and_fragments),
        cmocka_unit_test(sflow_read__a_sampled_packet_stands_for_many),
        cmocka_unit_test(sflow_read__skips_unknown_records),
        cmocka_unit_test(ipfix_read__version_9),
        cmocka_unit_test(ipfix_read__sampling_from_options),
        cmocka_unit_test(ipfix_read__ipfix_with_variable_and_foreign_fields),
        cmocka_unit_test(ipfix_read__evicts_the_oldest_template),
        cmocka_unit_test(collector_read__windows_become_distributions),
        cmocka_unit_test(collector_take__strangers_and_others_do_not_count),
        cmocka_unit_test(collector_take__bounds_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
