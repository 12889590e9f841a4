/* src/tune/acc/acc_rule.c */
#include "tune/acc/acc_rule.h"

/* log2(1 + KB) / 14 of 5, 20, 80 and 320 KB. */
static const float queue_step[] = { 0.18464018f, 0.31373696f, 0.45284643f, 0.59474496f };
static const float sent_step[] = { 0.8f, 0.95f };

#define ROWS (sizeof queue_step / sizeof *queue_step + 1)

uint32_t acc_rule_cell(const float *feature)
{
    uint32_t row = 0, column = 0;

    while (row < ROWS - 1 && feature[0] > queue_step[row])
        row++;
    while (column < sizeof sent_step / sizeof *sent_step && feature[1] >= sent_step[column])
        column++;
    return column * (uint32_t)ROWS + row;
}
