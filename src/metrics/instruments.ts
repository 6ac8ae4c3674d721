/** Opens counters with one label and gauges for the meters. */

import { Counter, Gauge, type Registry } from 'prom-client'

interface Named {
  readonly name: string
  readonly help: string
}

interface Labelled<Value extends string> extends Named {
  readonly label: string
  /** Values that start at 0, so that the first count is an increase. */
  readonly values?: readonly Value[]
}

/** Opens a counter with one label; the function adds 1 for a value of the label. */
export function openLabeledCounter<const Value extends string>(
  registry: Registry,
  { name, help, label, values = [] }: Labelled<Value>,
): (value: Value) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] })
  for (const value of values) counter.labels(value).inc(0)
  return (value) => counter.labels(value).inc()
}

interface Polled extends Named {
  readonly labels: readonly string[]
  /** The counts, each behind the values of the labels. */
  readonly counts: () => Iterable<readonly [...values: string[], count: number]>
}

/** Opens a counter of any labels that asks for its counts when the metrics are read. */
export function openPolledCounter(
  registry: Registry,
  { name, help, labels, counts }: Polled,
): void {
  const counter = new Counter({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect: (): void => {
      counter.reset()
      for (const one of counts()) {
        counter.labels(...(one.slice(0, -1) as string[])).inc(one.at(-1) as number)
      }
    },
  })
}

/** Opens a gauge that is 0 until the function is given what to ask for its value. */
export function openGauge(registry: Registry, named: Named): (ask: () => number) => void {
  let value = (): number => 0
  const gauge = new Gauge({
    ...named,
    registers: [registry],
    collect: (): void => gauge.set(value()),
  })
  return (ask) => {
    value = ask
  }
}
