/** Counts what is written to the log, commit by commit. */

import { Counter, Histogram, type Registry } from 'prom-client'

/** What one commit of the log did. */
interface Committed {
  readonly appends: number
  readonly events: number
  readonly bytes: number
  readonly durationMs: number
}

export type CommitMeter = (committed: Committed) => void

const appendsBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const
const secondsBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const

/** Opens the meter in the registry. */
export function openCommitMeter(registry: Registry): CommitMeter {
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
