/** Shows jobs: whether one runs, by the time of its last report, or how it ended. */

import { Failure, requireExisting } from '../../domain/failure.ts'
import { optional, text, timeSchema } from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type JobRecord, jobOutcomes } from '../../events/recording/jobRecord.ts'

/** What every job shows. */
export const jobFields = {
  id: text,
  state: {
    type: 'string',
    enum: ['RUNNING', ...jobOutcomes],
    description:
      '`INTERRUPTED`: its process ended, or nothing was heard of it for a minute. `FAILED`: the log, the keys or the read models could not be read.',
  },
  reason: optional({ type: 'string', description: 'Why it failed.' }),
  started_at: timeSchema,
  reported_at: {
    ...timeSchema,
    description: 'Of what it has found so far; a running one reports every five seconds.',
  },
} as const

/** A job that reports nothing for so long has ended with its process. */
const silentMaxMs = 60_000

type JobState = (typeof jobFields.state.enum)[number]

/** Whether it runs, or how it ended. */
function computeJobState({ outcome, reported_at }: JobRecord, nowMs: number): JobState {
  return outcome ?? (nowMs - reported_at > silentMaxMs ? 'INTERRUPTED' : 'RUNNING')
}

export function toJobView(job: JobRecord, nowMs: number) {
  return {
    id: job.id,
    state: computeJobState(job, nowMs),
    ...(job.reason !== undefined && { reason: job.reason }),
    started_at: isoTime(job.started_at),
    reported_at: isoTime(job.reported_at),
  }
}

/** The job of this id. Throws `not_found`. */
export function requireJob<Job extends JobRecord>(jobs: readonly Job[], id: string): Job {
  return requireExisting(jobs.find((job) => job.id === id))
}

/** Throws `conflict` while a job of these runs: one of an account at a time. */
export function requireNoneRunning(jobs: readonly JobRecord[], noun: string, nowMs: number): void {
  const running = jobs.find((job) => computeJobState(job, nowMs) === 'RUNNING')
  if (!running) return
  const message = `The ${noun} ${running.id} is running: wait for it, or cancel it.`
  throw new Failure('conflict', message)
}
