/* src/live/driver/mlx5.h - ConnectX NICs, through files of the kernel.
 *
 * DCQCN's knobs are in /sys/class/net/<if>/ecn/roce_{rp,np}/ with NVIDIA's out-of-tree driver, or else in
 * /sys/kernel/debug/mlx5/<pci>/cc_params/ with the in-tree driver; names differ. They apply to a port and all
 * its flows, take effect at once, and are lost when the driver is unloaded. The out-of-tree driver passes an
 * uninitialized number to the firmware if the text is not a number. So this driver writes only digits, with a
 * single write(), and the agent reads them back. rpg_byte_reset is written unscaled: documents disagree on
 * its unit.
 *
 * Counters: /sys/class/infiniband/<dev>/ports/1/{counters,hw_counters}, and `ethtool -S` for pauses and
 * discards. Many are 32 bits wide and wrap; port_xmit_data counts units of four bytes.
 *
 * Flow sizes, if the kernel counts by queue pair and an operator has enabled it: qp_flows.h.
 *
 * If the root is not "/", <root>/ethtool/<if> stands for `ethtool -S <if>`.
 */
#ifndef LIVE_DRIVER_MLX5_H
#define LIVE_DRIVER_MLX5_H

#include "live/driver/driver.h"

extern const struct driver driver_mlx5;

#endif
