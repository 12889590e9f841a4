#include "core/asic.h"

#include <stddef.h>

#define MB   1000000ull

#define ROWS(X) \
    X("trident_plus", "Broadcom Trident+, 48 x 10G and 4 x 40G", 640000000000ull, 9 * MB, ASIC_NO_SHIFT, \
      0, 0, "port-buffers.forwardingplane.net") \
    X("trident2", "Broadcom Trident II, 32 x 40G", 1280000000000ull, 12 * MB, ASIC_NO_SHIFT, 208, 600, \
      "Arista's data sheet of the 7050X (550 to 650 ns), by people.ucsc.edu/~warner/Bufs") \
    X("tomahawk", "Broadcom Tomahawk, 32 x 100G", 3200000000000ull, 16 * MB, ASIC_NO_SHIFT, 208, 0, \
      "Delta's manual of the AG9032") \
    X("tomahawk2", "Broadcom Tomahawk 2, 64 x 100G", 6400000000000ull, 42 * MB, ASIC_NO_SHIFT, 208, 0, \
      "port-buffers.forwardingplane.net") \
    X("tomahawk3", "Broadcom Tomahawk 3, 32 x 400G", 12800000000000ull, 64 * MB, ASIC_NO_SHIFT, 254, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("tomahawk5", "Broadcom Tomahawk 5, 64 x 800G", 51200000000000ull, 166298880, 0, 254, 0, \
      "SONiC: pools and profiles of Arista's 7060X6-64PE") \
    X("trident3", "Broadcom Trident 3 X7, 32 x 100G", 3200000000000ull, 32732160, 0, 256, 800, \
      "SONiC: pools and profiles of Arista's 7050CX3-32S; latency: data sheet of the 7050X3") \
    X("trident4", "Broadcom Trident 4 X11, 32 x 400G", 12800000000000ull, 132 * MB, ASIC_NO_SHIFT, 0, 0, \
      "Juniper's data sheet of the QFX5130, by people.ucsc.edu/~warner/Bufs") \
    X("spectrum2", "NVIDIA Spectrum-2, 32 x 200G", 6400000000000ull, 42 * MB, ASIC_NO_SHIFT, 144, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("spectrum3", "NVIDIA Spectrum-3, 32 x 400G", 12800000000000ull, 64 * MB, ASIC_NO_SHIFT, 144, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("spectrum4", "NVIDIA Spectrum-4, 64 x 800G", 51200000000000ull, 158229504, ASIC_NO_SHIFT, 192, 0, \
      "SONiC: pools of NVIDIA's SN5600") \
    X("teralynx7", "Marvell TeraLynx 7, 32 x 400G", 12800000000000ull, 70 * MB, ASIC_NO_SHIFT, 0, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("teralynx8", "Marvell TeraLynx 8, 64 x 400G", 25600000000000ull, 170 * MB, ASIC_NO_SHIFT, 0, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)")

#define ROW(name, about, capacity, buffer, shift, cell, latency, source) \
    { name, about, capacity, buffer, shift, cell, latency, source },
#define NAME(name, about, capacity, buffer, shift, cell, latency, source) name,

const struct asic asic_all[] = { ROWS(ROW) { 0 } };

const char *const asic_names[] = { ROWS(NAME) NULL };
