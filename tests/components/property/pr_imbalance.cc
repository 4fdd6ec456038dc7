/* SPDX-License-Identifier: BSD-3-Clause */
/* pr_imbalance.cc: two properties in C++: load imbalance of execution time, and what must
 * be compared with a sequential run. */
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "framework/cca.h"
#include "ports/property_port.h"

namespace
{

struct Group {
    double sum = 0, most = 0;
    int count = 0;
};

using Groups = std::map<std::pair<int64_t, int64_t>, Group>;

/* By run and region. */
int read_groups(property_data *data, Groups &groups, cca_error *err)
{
    property_rows *rows = data->rows(data, "rs", "experiment, region, exec_time", err);

    if (!rows)
        return err->code;
    while (data->next(rows) > 0) {
        Group &g = groups[{data->id(rows, 0), data->id(rows, 1)}];
        const double time = data->number(rows, 2);

        g.sum += time;
        g.most = std::max(g.most, time);
        g.count++;
    }
    data->end(rows);
    return 0;
}

class Imbalance
{
  public:
    property_port imbalance, slowdown;

    static int describe_imbalance(property_port *, property_about *about, cca_error *)
    {
        about->name = "PrImbalance";
        about->doc = "how uneven execution times are over units, in C++";
        about->object = PROPERTY_OF_REGION;
        about->share_of_region = 1;
        return 0;
    }

    static int evaluate_imbalance(property_port *, property_data *data, cca_error *err)
    {
        Groups groups;
        const int result = read_groups(data, groups, err);

        for (const auto &[key, g] : groups) {
            property_answer a = {};

            if (g.count < 2 || key.first == data->sequential)
                continue;
            a.experiment = key.first;
            a.region = key.second;
            a.severity = (1 - g.sum / g.count / g.most) / (1 - 1. / g.count);
            a.holds = std::isfinite(a.severity) ? a.severity > 0 : -1;
            a.severity = a.holds < 0 ? NAN : a.severity;
            a.reason = a.holds < 0 ? "no time" : nullptr;
            a.confidence = NAN;
            data->answer(data, &a);
        }
        return result;
    }

    static int describe_slowdown(property_port *, property_about *about, cca_error *)
    {
        about->name = "PrSlowdown";
        about->doc = "time above that of the sequential run";
        about->object = PROPERTY_OF_EXPERIMENTS;
        return 0;
    }

    static const char *const *requires_sequential(property_port *)
    {
        static const char *const needs[] = {"sequential", "exec_time", nullptr};

        return needs;
    }

    static int evaluate_slowdown(property_port *, property_data *data, cca_error *err)
    {
        Groups groups;
        const int result = read_groups(data, groups, err);

        for (const auto &[key, g] : groups) {
            const auto one = groups.find({data->sequential, key.second});
            property_answer a = {};

            if (key.first == data->sequential || one == groups.end() || g.most <= 0)
                continue;
            a.experiment = key.first;
            a.region = key.second;
            a.severity = std::max(0., 1 - one->second.most / g.most);
            a.holds = a.severity > 0;
            a.confidence = .5;
            data->answer(data, &a);
        }
        return result;
    }
};

const property_port imbalance = {{PROPERTY_PORT_TYPE, sizeof(property_port)},
                                 Imbalance::describe_imbalance,
                                 nullptr,
                                 Imbalance::evaluate_imbalance};
const property_port slowdown = {{PROPERTY_PORT_TYPE, sizeof(property_port)},
                                Imbalance::describe_slowdown,
                                Imbalance::requires_sequential,
                                Imbalance::evaluate_slowdown};

const cca_port_impl implements[] = {
    {"imbalance", offsetof(Imbalance, imbalance), &imbalance.base},
    {"slowdown", offsetof(Imbalance, slowdown), &slowdown.base},
    {nullptr, 0, nullptr},
};

} // namespace

/* Declared first: g++ warns of one declaration that both says extern and initialises. */
CCA_EXPORT const struct cca_class cca_class;
const struct cca_class cca_class = {
    CCA_ABI,
    sizeof(struct cca_class),
    "test.PrImbalance",
    "two properties in C++",
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    0,
    nullptr,
    nullptr,
    nullptr,
    sizeof(Imbalance),
    CCA_NO_SERVICES,
    implements,
    nullptr,
};
