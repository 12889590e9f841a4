#include "learn/loss.h"

double loss_mse(const float *value, const float *wanted, uint32_t n, float *slope)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        float error = value[i] - wanted[i];

        sum += (double)error * error;
        slope[i] = 2 * error / (float)n;
    }
    return sum / n;
}

double loss_huber(const float *value, const float *wanted, uint32_t n, float bend, float *slope)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        float error = value[i] - wanted[i], size = error < 0 ? -error : error;

        if (size > bend) {
            sum += bend * (size - 0.5 * bend);
            slope[i] = (error < 0 ? -bend : bend) / (float)n;
        } else {
            sum += 0.5 * error * error;
            slope[i] = error / (float)n;
        }
    }
    return sum / n;
}
