/** What several processes of the service have counted, as one. */

import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** What one process has counted, as it crosses to another one. */
export type Counted = MetricObjectWithValues<MetricValue<string>>[]

/** How late the event loop of a process is: the mean of several would hide the one that is stuck. */
const lag = /^nodejs_eventloop_lag_/

/** The text format of Prometheus of all: sums, or what each metric says stands for several; of what is the same of all, the first one's. */
export function textOfSum(counted: readonly Counted[]): Promise<string> {
  return sumOf(counted).metrics()
}

/** What is left of processes that have ended: what they counted, which does not go back, and nothing of how they were. */
export async function countsOf(counted: readonly Counted[]): Promise<Counted> {
  const all = (await sumOf(counted).getMetricsAsJSON()) as Counted
  return all.filter(({ type, name }) => isCount(String(type)) && !lag.test(name))
}

function isCount(type: string): boolean {
  return type === 'counter' || type === 'histogram'
}

function sumOf(counted: readonly Counted[]) {
  return AggregatorRegistry.aggregate(counted.map((one) => one.map(aggregated)))
}

function aggregated(metric: Counted[number]): Counted[number] {
  return lag.test(metric.name) ? { ...metric, aggregator: 'max' } : metric
}
