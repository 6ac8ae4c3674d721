/** Follows a job of the service until it has ended; Ctrl-C cancels it. */

import { type CliError, createCliError, exitCodes } from '../terminal/cliError.ts'
import { canReplaceLines, escapeControls, openProgress, type Progress } from '../terminal/screen.ts'
import type { Invocation } from './invocation.ts'
import { retryWhileUnavailable } from './pagination.ts'

interface Job {
  readonly id: string
  readonly state: string
  readonly reason?: string | undefined
}

interface FollowedJob<View extends Job> {
  /** Under which the service has the jobs. */
  readonly path: string
  readonly job: View
  readonly formatProgress: (job: View) => string
  /** How to go on with one that did not reach its end, with the facts of its error. */
  readonly goOn: (job: View) => { readonly with: string; readonly facts?: object }
}

/** How often it is asked for: soon at first, as most are short. */
const pollMs = { first: 100, most: 1_000 }

/** The job once it has ended in whatever state. Throws the error of Ctrl-C when it was cancelled by that. */
export async function followJob<View extends Job>(
  invocation: Invocation,
  { path, job, formatProgress, goOn }: FollowedJob<View>,
): Promise<View> {
  const { client, context } = invocation
  const progress = openLogProgress(invocation)
  let shown = job
  let pauseMs = pollMs.first
  try {
    while (shown.state === 'RUNNING') {
      progress.show(formatProgress(shown))
      await context.pause(pauseMs)
      pauseMs = Math.min(pollMs.most, pauseMs * 2)
      const asked = `${path}/${shown.id}`
      shown = await retryWhileUnavailable(context, () => client<View>('GET', asked))
    }
    return shown
  } catch (thrown) {
    if (!context.interrupted.aborted) throw thrown
    const asked = `${path}/${shown.id}/cancel`
    const { with: how, facts } = goOn(await client('POST', asked, { isAfterInterrupt: true }))
    throw createInterruptedError(how, facts)
  } finally {
    progress.clear()
  }
}

/** The error of Ctrl-C, which says how to go on. */
export function createInterruptedError(how: string, facts: object = {}): CliError {
  const message = `Interrupted. Go on with ${how}.`
  return createCliError(message, exitCodes.interrupted, { code: 'interrupted', ...facts })
}

/** Throws unless it has reached its end. */
export function requireDone<View extends Job>(
  noun: string,
  { job, goOn }: Pick<FollowedJob<View>, 'job' | 'goOn'>,
): void {
  const { state, reason } = job
  if (state === 'DONE') return
  const why = reason === undefined ? '' : ` (${escapeControls(reason)})`
  const { with: how, facts } = goOn(job)
  throw createCliError(
    `The ${noun} ended before its end: ${state}${why}. Go on with ${how}.`,
    exitCodes.unreachable,
    { code: state.toLowerCase(), ...facts, ...(reason !== undefined && { reason }) },
  )
}

/** How long nothing is printed where lines cannot be replaced. */
const linesMs = 10_000

/** Shows progress; in a file as a line now and then. */
export function openLogProgress({ context, flags }: Invocation): Progress {
  const { nowMs, stderr } = context
  const progress = openProgress(context, flags)
  if (canReplaceLines(context) || flags.json) return progress
  let printedMs = nowMs()
  return {
    ...progress,
    show: (text) => {
      if (nowMs() - printedMs < linesMs) return
      printedMs = nowMs()
      stderr.write(`${text}\n`)
    },
  }
}
