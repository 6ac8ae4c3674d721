/** Shares this thread among computations that nobody can interrupt: after much of them everybody else has their turn. */

import { type LoopTurns, turnsOfThread } from './loopTurns.ts'

/** Work that can pause wherever it yields. What it gives must not depend on how long it paused, nor on what was computed meanwhile. */
type InPieces<Value> = Generator<unknown, Value>

export interface Computing {
  /** Computes when the turn of the key has come: at once where it may begin in this turn of the event loop. */
  readonly run: <Value>(key: string, work: () => Value) => Promise<Value>
  /** The same for work that pauses when the turn has lasted long enough; nothing else of the key is computed until it has ended. */
  readonly runInPieces: <Value>(key: string, work: InPieces<Value>) => Promise<Value>
}

/** Does the next piece; true when that was the last. */
type Job = () => boolean

/**
 * Opens the computing of one thread. Each key waits for its turns of the event loop, and of its own computations one after the other
 * begins, so that nobody waits behind all that another has asked for. How many may wait is bounded by the places of requests.
 */
export function openComputing(turns: LoopTurns = turnsOfThread): Computing {
  /** Of each key what it waits for; the first goes on when it is the turn of the key. */
  const lines = new Map<string, Job[]>()

  const goOn = (key: string): void => {
    const jobs = lines.get(key) ?? []
    if (jobs[0] && worked(jobs[0], turns)) jobs.shift()
    if (jobs.length === 0) lines.delete(key)
    // who has had its part of the turn stands in line again, as everybody else
    else if (turns.mayGoOn()) turns.enter(key, () => goOn(key))
    else turns.enterLater(key, () => goOn(key))
  }
  const enter = (key: string, job: Job): void => {
    const jobs = lines.get(key)
    if (jobs) {
      jobs.push(job)
      return
    }
    lines.set(key, [job])
    turns.enter(key, () => goOn(key))
  }

  const runInPieces: Computing['runInPieces'] = (key, work) =>
    new Promise((resolve, reject) => enter(key, jobOf(work, resolve, reject)))

  return {
    run: (key, work) => runInPieces(key, wholeOf(work)),
    runInPieces,
  }
}

/** Piece by piece, as long as the turn lets it; true when the job has ended. */
function worked(job: Job, turns: LoopTurns): boolean {
  for (;;) {
    const hasEnded = job()
    if (hasEnded || !turns.mayGoOn()) return hasEnded
  }
}

function jobOf<Value>(
  work: InPieces<Value>,
  resolve: (value: Value) => void,
  reject: (error: unknown) => void,
): Job {
  return () => {
    try {
      const step = work.next()
      if (step.done) resolve(step.value)
      return step.done === true
    } catch (error) {
      reject(error)
      return true
    }
  }
}

/** Work in one piece. */
// biome-ignore lint/correctness/useYield: there is nothing to wait for
function* wholeOf<Value>(work: () => Value): InPieces<Value> {
  return work()
}
