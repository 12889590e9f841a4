#include "learn/policy/policy_table.h"

const float policy_table_delta[POLICY_TABLE_SIDE] = { -0.8f, -0.4f, 0, 0.4f, 0.8f, 2, 5, 20 };

const policy_table policy_table_released = {
    { 1.051f, 0.984f, 0.926f, 0.902f, 0.887f, 0.854f, 0.834f, 0.833f },
    { 1.077f, 1.028f, 0.971f, 0.919f, 0.893f, 0.852f, 0.834f, 0.833f },
    { 1.096f, 1.055f, 1.004f, 0.948f, 0.906f, 0.850f, 0.834f, 0.833f },
    { 1.120f, 1.088f, 1.027f, 0.967f, 0.919f, 0.855f, 0.834f, 0.833f },
    { 1.145f, 1.113f, 1.061f, 0.999f, 0.941f, 0.858f, 0.834f, 0.833f },
    { 1.179f, 1.162f, 1.136f, 1.096f, 1.042f, 0.877f, 0.834f, 0.833f },
    { 1.198f, 1.196f, 1.191f, 1.181f, 1.162f, 0.996f, 0.835f, 0.833f },
    { 1.200f, 1.200f, 1.200f, 1.200f, 1.200f, 1.200f, 1.173f, 0.833f },
};

const float policy_table_paper[3][3] = { { 1.05f, 0.92f, 0.89f },
                                         { 1.1f, 1, 0.9f },
                                         { 1.15f, 1.07f, 0.94f } };

void policy_table_fill(policy_table table, const struct policy *p)
{
    for (int before = 0; before < POLICY_TABLE_SIDE; before++)
        for (int now = 0; now < POLICY_TABLE_SIDE; now++) {
            float x[POLICY_FEATURES] = { 1, policy_table_delta[before], 1, policy_table_delta[now] };

            table[before][now] = policy_try(p, x);
        }
}

float policy_table_distance(const policy_table a, const policy_table b)
{
    float largest = 0;

    for (int i = 0; i < POLICY_TABLE_SIDE * POLICY_TABLE_SIDE; i++) {
        float apart = (&a[0][0])[i] - (&b[0][0])[i];

        apart = apart < 0 ? -apart : apart;
        largest = apart > largest ? apart : largest;
    }
    return largest;
}

void policy_table_print(FILE *out, const policy_table table)
{
    fprintf(out, "%13s", "before \\ now");
    for (int i = 0; i < POLICY_TABLE_SIDE; i++)
        fprintf(out, " %6.1f", (double)policy_table_delta[i]);
    for (int before = 0; before < POLICY_TABLE_SIDE; before++) {
        fprintf(out, "\n%13.1f", (double)policy_table_delta[before]);
        for (int now = 0; now < POLICY_TABLE_SIDE; now++)
            fprintf(out, " %6.3f", (double)table[before][now]);
    }
    fputc('\n', out);
}

void policy_table_fill_paper(float table[3][3], const struct policy *p)
{
    static const float state[3][2] = { { 1.1f, -0.768f }, { 1, 0 }, { 0.9f, 0.768f } };

    for (int before = 0; before < 3; before++)
        for (int now = 0; now < 3; now++) {
            float x[POLICY_FEATURES] = { state[before][0], state[before][1], state[now][0], state[now][1] };

            table[before][now] = policy_try(p, x);
        }
}
