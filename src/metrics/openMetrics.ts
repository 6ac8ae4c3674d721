/** Opens the Prometheus registry with all meters, and renders its text for `/metrics`. */

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { type DamageMeter, openDamageMeter } from './damageMeter.ts'
import { type DispatchMeter, openDispatchMeter } from './dispatchMeter.ts'
import { type EvaluationMeter, openEvaluationMeter } from './evaluationMeter.ts'
import { openPasswordMeter, type PasswordMeter } from './passwordMeter.ts'
import { openReportMeter, type ReportMeter } from './reportMeter.ts'
import { openRequestMeter, type RequestMeter } from './requestMeter.ts'
import { openSessionMeter, type SessionMeter } from './sessionMeter.ts'
import { openStateGauges, type ServiceState } from './stateGauges.ts'

const reasons = ['missing', 'damaged'] as const

const appendsBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const
const secondsBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const

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

/** Opens a registry of its own. No label takes a value that a caller can choose. */
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

/** What one commit of the log did. */
interface Committed {
  readonly appends: number
  readonly events: number
  readonly bytes: number
  readonly durationMs: number
}

type CommitMeter = (committed: Committed) => void

/** Opens the meter in the registry. */
function openCommitMeter(registry: Registry): CommitMeter {
  const registers = [registry]
  const batches = new Histogram({
    name: 'vigil_append_batch_appends',
    help: 'Appends that shared one commit of the log.',
    buckets: [...appendsBuckets],
    registers,
  })
  const durations = new Histogram({
    name: 'vigil_append_commit_duration_seconds',
    help: 'From handing a batch of appends to the writer to its being on disk.',
    buckets: [...secondsBuckets],
    registers,
  })
  const events = new Counter({
    name: 'vigil_events_appended_total',
    help: 'Events written to the log.',
    registers,
  })
  const bytes = new Counter({
    name: 'vigil_event_bytes_appended_total',
    help: 'Length of the events written to the log, metadata included.',
    registers,
  })
  return (committed) => {
    batches.observe(committed.appends)
    durations.observe(committed.durationMs / 1_000)
    events.inc(committed.events)
    bytes.inc(committed.bytes)
  }
}

type KeyMeter = (reason: (typeof reasons)[number]) => void

/** Opens the meter in the registry. */
function openKeyMeter(registry: Registry): KeyMeter {
  const unreadable = new Counter({
    name: 'vigil_sealing_keys_unreadable_total',
    help: 'Keys that a record needed and that are lost or damaged; one that was destroyed does not count.',
    labelNames: ['reason'],
    registers: [registry],
  })
  // so that the first one is an increase
  for (const reason of reasons) unreadable.inc({ reason }, 0)
  return (reason) => unreadable.inc({ reason })
}
