/** How long commits of the log took, as the service counts them in steps of its own. */

import { operatorToken } from '../childProcess.ts'

/** How many commits took at most so many seconds, the shortest first; the last bound is infinite. */
export type Commits = readonly { readonly atMostSeconds: number; readonly count: number }[]

const metric = 'vigil_append_commit_duration_seconds_bucket'

/** Reads the metrics of the service. Rejects when they are not answered. */
export async function commitsOf(port: number): Promise<Commits> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { Authorization: `Bearer ${operatorToken}` },
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`GET /metrics: ${answer.status} ${text}`)
  return commitsIn(text)
}

/** Throws when the text has none. */
export function commitsIn(text: string): Commits {
  const found = [...text.matchAll(new RegExp(`^${metric}\\{le="(\\S+)"\\} (\\d+)$`, 'gm'))]
  if (found.length === 0) throw new Error(`there is no metric ${metric}`)
  return found.map(([, bound, count]) => ({
    atMostSeconds: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound),
    count: Number(count),
  }))
}

/** Milliseconds that no commit between the two readings took longer than; 0 when there was none. */
export function longestCommitMs(before: Commits, after: Commits): number {
  const between = after.map(({ count }, at) => count - (before[at]?.count ?? 0))
  const all = between.at(-1) ?? 0
  if (all === 0) return 0
  return (after[between.indexOf(all)]?.atMostSeconds ?? 0) * 1_000
}
