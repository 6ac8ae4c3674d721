/** What the service counts about itself, as Prometheus reads it. */

import {
  AggregatorRegistry,
  collectDefaultMetrics,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { type CommitMeter, openCommitMeter } from './commitMeter.ts'
import { type DispatchMeter, openDispatchMeter } from './dispatchMeter.ts'
import { type EvaluationMeter, openEvaluationMeter } from './evaluationMeter.ts'
import { type KeyMeter, openKeyMeter } from './keyMeter.ts'
import { openPasswordMeter, type PasswordMeter } from './passwordMeter.ts'
import { openReportMeter, type ReportMeter } from './reportMeter.ts'
import { openRequestMeter, type RequestMeter } from './requestMeter.ts'
import { openSessionMeter, type SessionMeter } from './sessionMeter.ts'
import { openStateGauges, type ServiceState } from './stateGauges.ts'
import { openWorkerMeter, type WorkerMeter } from './workerMeter.ts'

/** What one process has counted, as it crosses to another one. */
export type Counted = MetricObjectWithValues<MetricValue<string>>[]

export interface Metrics {
  readonly requests: RequestMeter
  readonly evaluated: EvaluationMeter
  readonly reported: ReportMeter
  readonly dispatched: DispatchMeter
  readonly committed: CommitMeter
  readonly keyUnreadable: KeyMeter
  readonly passwords: PasswordMeter
  readonly sessions: SessionMeter
  readonly workers: WorkerMeter
  /** Says how the rest of the service is asked for its state, which must not reject. */
  readonly watch: (state: () => Promise<ServiceState>) => void
  /** All of it in the text format 0.0.4 of Prometheus. Those who ask at once share one answer. */
  readonly text: () => Promise<string>
  /** All of it, for another process to add up. */
  readonly counted: () => Promise<Counted>
  /** The text of it with what other processes of the service have counted: sums, but for what is the same of all. */
  readonly textWith: (others: readonly Counted[]) => Promise<string>
}

interface MetricsOptions {
  /** Also memory, processor time, garbage collection and the delay of the event loop of this process. */
  readonly ofProcess?: boolean
}

/** Opens meters that nobody else counts with. No label takes a value that a caller can choose. */
export function openMetrics({ ofProcess = false }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  const show = openStateGauges(registry)
  let ask: (() => Promise<ServiceState>) | undefined
  let underWay: Promise<string> | undefined
  if (ofProcess) collectDefaultMetrics({ register: registry })

  const write = async (): Promise<string> => {
    if (ask) show(await ask())
    return registry.metrics()
  }
  const counted = async (): Promise<Counted> => {
    if (ask) show(await ask())
    // the library declares as optional what it always gives
    return (await registry.getMetricsAsJSON()) as Counted
  }

  return {
    requests: openRequestMeter(registry),
    evaluated: openEvaluationMeter(registry),
    reported: openReportMeter(registry),
    dispatched: openDispatchMeter(registry),
    committed: openCommitMeter(registry),
    keyUnreadable: openKeyMeter(registry),
    passwords: openPasswordMeter(registry),
    sessions: openSessionMeter(registry),
    workers: openWorkerMeter(registry),
    watch: (state) => {
      ask = state
    },
    text: () => {
      underWay ??= write().finally(() => {
        underWay = undefined
      })
      return underWay
    },
    counted,
    textWith: async (others) =>
      AggregatorRegistry.aggregate([await counted(), ...others]).metrics(),
  }
}
