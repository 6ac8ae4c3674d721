/** Opens the Prometheus registry with all meters, and renders its text for `/metrics`. */

import { collectDefaultMetrics, Registry } from 'prom-client'
import { openEvaluationMeter } from './evaluationMeter.ts'
import { openLabeledCounter } from './instruments.ts'
import {
  damageCounter,
  dispatchCounter,
  openCommitMeter,
  openPasswordMeter,
  openReportMeter,
  openSessionMeter,
  unreadableKeyCounter,
} from './meters.ts'
import { openRequestMeter } from './requestMeter.ts'
import { openStateGauges, type ServiceState } from './stateGauges.ts'

export type Metrics = ReturnType<typeof openMetrics>

interface Watched {
  /** The state of stores and projections; must not reject. */
  readonly state: () => Promise<ServiceState>
  /** Unused sealing keys on disk. */
  readonly keysReady: () => number
}

interface MetricsOptions {
  /** Also memory, processor time, garbage collection and the delay of the event loop of this process. */
  readonly ofProcess?: boolean
}

/** Opens a registry of its own. No label takes a value that a caller can choose. */
export function openMetrics({ ofProcess = false }: MetricsOptions = {}) {
  const registry = new Registry()
  const ofState = new Registry()
  const { show, showKeys } = openStateGauges(registry, ofState)
  let watched: Watched | undefined
  if (ofProcess) collectDefaultMetrics({ register: registry })

  const textOf = (of: Registry) => async (): Promise<string> => {
    if (watched) {
      showKeys(watched.keysReady())
      show(await watched.state())
    }
    return of.metrics()
  }
  return {
    requests: openRequestMeter(registry),
    evaluated: openEvaluationMeter(registry),
    reported: openReportMeter(registry),
    dispatched: openLabeledCounter(registry, dispatchCounter),
    committed: openCommitMeter(registry),
    keyUnreadable: openLabeledCounter(registry, unreadableKeyCounter),
    damaged: openLabeledCounter(registry, damageCounter),
    passwords: openPasswordMeter(registry),
    sessions: openSessionMeter(registry),
    /** Sets where the gauges take the state of the service from. */
    watch: (service: Watched): void => {
      watched = service
    },
    /** All metrics in the Prometheus text format 0.0.4. Concurrent calls share one answer. */
    text: shareConcurrentCalls(textOf(registry)),
    /** The state of stores and projections alone, in the same format. */
    stateText: shareConcurrentCalls(textOf(ofState)),
  }
}

/** Calls while an answer is being made get that answer. */
function shareConcurrentCalls<Answer>(make: () => Promise<Answer>): () => Promise<Answer> {
  let pending: Promise<Answer> | undefined
  return () => {
    pending ??= make().finally(() => {
      pending = undefined
    })
    return pending
  }
}
