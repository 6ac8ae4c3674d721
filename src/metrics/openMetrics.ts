/** What the service counts about itself, as Prometheus reads it. */

import { collectDefaultMetrics, Registry } from 'prom-client'
import { type CommitMeter, openCommitMeter } from './commitMeter.ts'
import { type DamageMeter, openDamageMeter } from './damageMeter.ts'
import { type DispatchMeter, openDispatchMeter } from './dispatchMeter.ts'
import { type EvaluationMeter, openEvaluationMeter } from './evaluationMeter.ts'
import { type KeyMeter, openKeyMeter } from './keyMeter.ts'
import { openPasswordMeter, type PasswordMeter } from './passwordMeter.ts'
import { openReportMeter, type ReportMeter } from './reportMeter.ts'
import { openRequestMeter, type RequestMeter } from './requestMeter.ts'
import { openSessionMeter, type SessionMeter } from './sessionMeter.ts'
import { openStateGauges, type ServiceState } from './stateGauges.ts'

export interface Metrics {
  readonly requests: RequestMeter
  readonly evaluated: EvaluationMeter
  readonly reported: ReportMeter
  readonly dispatched: DispatchMeter
  readonly committed: CommitMeter
  readonly keyUnreadable: KeyMeter
  readonly damaged: DamageMeter
  readonly passwords: PasswordMeter
  readonly sessions: SessionMeter
  /** Says how the rest of the service is asked for its state, which must not reject, and for the sealing keys that it has ready. */
  readonly watch: (service: Watched) => void
  /** All of it in the text format 0.0.4 of Prometheus. Those who ask at once share one answer. */
  readonly text: () => Promise<string>
  /** The state of stores and projections alone, in the same format. */
  readonly stateText: () => Promise<string>
}

interface Watched {
  readonly state: () => Promise<ServiceState>
  readonly keysReady: () => number
}

interface MetricsOptions {
  /** Also memory, processor time, garbage collection and the delay of the event loop of this process. */
  readonly ofProcess?: boolean
}

/** Opens meters that nobody else counts with. No label takes a value that a caller can choose. */
export function openMetrics({ ofProcess = false }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  const ofState = new Registry()
  const { show, showKeys } = openStateGauges(registry, ofState)
  let watched: Watched | undefined
  const shared = sharedAnswer<string>()
  const sharedState = sharedAnswer<string>()
  if (ofProcess) collectDefaultMetrics({ register: registry })

  const look = async (): Promise<void> => {
    if (!watched) return
    showKeys(watched.keysReady())
    show(await watched.state())
  }
  return {
    requests: openRequestMeter(registry),
    evaluated: openEvaluationMeter(registry),
    reported: openReportMeter(registry),
    dispatched: openDispatchMeter(registry),
    committed: openCommitMeter(registry),
    keyUnreadable: openKeyMeter(registry),
    damaged: openDamageMeter(registry),
    passwords: openPasswordMeter(registry),
    sessions: openSessionMeter(registry),
    watch: (service) => {
      watched = service
    },
    text: () =>
      shared(async () => {
        await look()
        return registry.metrics()
      }),
    stateText: () =>
      sharedState(async () => {
        await look()
        return ofState.metrics()
      }),
  }
}

/** Those who ask while an answer is being made get that one. */
function sharedAnswer<Answer>() {
  let underWay: Promise<Answer> | undefined
  return (make: () => Promise<Answer>): Promise<Answer> => {
    underWay ??= make().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
