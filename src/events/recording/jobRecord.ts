/** Declares what all jobs have on record, and keeps the last ones of an account. */

/** How a job ended. */
export const jobOutcomes = ['DONE', 'CANCELLED', 'INTERRUPTED', 'FAILED'] as const

/** How a job ended, with the reason of one that failed. */
export interface JobEnd {
  readonly outcome: (typeof jobOutcomes)[number]
  readonly reason?: string
}

/** A job; times are milliseconds since the Unix epoch. */
export interface JobRecord extends Partial<JobEnd> {
  readonly id: string
  readonly started_at: number
  /** When it was last heard of. */
  readonly reported_at: number
  /** How often it was begun: what an earlier run reports later does not count. */
  readonly runs: number
}

/** Jobs of a kind and account that stay known. */
const jobsMax = 20

/** The jobs of an account, the one begun last first, after this one has begun. */
export function beginJob<Job extends JobRecord>(before: readonly Job[], job: Job): readonly Job[] {
  return [job, ...before.filter(({ id }) => id !== job.id)].slice(0, jobsMax)
}

/** The jobs, with the one of this id changed. */
export function changeJob<Job extends JobRecord>(
  before: readonly Job[],
  id: string,
  change: (job: Job) => Job,
): readonly Job[] {
  return before.map((job) => (job.id === id ? change(job) : job))
}
