/* src/live/driver/mlx5.h - ConnectX NICs through the files of the kernel.
 *
 * DCQCN's knobs are in /sys/class/net/<if>/ecn/roce_{rp,np}/ with NVIDIA's out-of-tree driver, or else in
 * /sys/kernel/debug/mlx5/<pci>/cc_params/ with the kernel's own; names differ. They hold for a port and all
 * its flows, act at once, and are lost with the driver. The out-of-tree driver hands an uninitialised number
 * to the firmware if what is written is not one: so nothing but digits is ever written, with one write(), and
 * read back by the agent. rpg_byte_reset is written as the number that it is: documents disagree on its unit.
 *
 * Counters: /sys/class/infiniband/<dev>/ports/1/{counters,hw_counters}, and what `ethtool -S` shows for
 * pauses and discards. Many are 32 bits wide and wrap; port_xmit_data counts four bytes as one.
 *
 * Flow sizes, where the kernel counts by queue pair and somebody has switched that on: qp_flows.h.
 *
 * Below another root than "/", <root>/ethtool/<if> stands for `ethtool -S <if>`.
 */
#ifndef LIVE_DRIVER_MLX5_H
#define LIVE_DRIVER_MLX5_H

#include "live/driver/driver.h"

extern const struct driver driver_mlx5;

#endif
