/** Shares this thread among computations that nobody can interrupt: after much of them everybody else has their turn. */

/** Milliseconds of computations in one turn of the event loop, after which what is asked for begins, or goes on, in a later one. */
const turnMs = 4

/** Work that can pause wherever it yields. What it gives must not depend on how long it paused, nor on what was computed meanwhile. */
type InPieces<Value> = Generator<unknown, Value>

export interface Computing {
  /** Computes when the turn of the key has come: at once where little was computed since the last turn of the event loop. */
  readonly run: <Value>(key: string, work: () => Value) => Promise<Value>
  /** The same for work that pauses when the turn has lasted long enough; nothing else of the key is computed until it has ended. */
  readonly runInPieces: <Value>(key: string, work: InPieces<Value>) => Promise<Value>
}

export interface ComputingOptions {
  /** A clock that never goes back. */
  readonly nowMs?: () => number
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn?: (work: () => void) => void
}

/** Does the next piece; true when that was the last. */
type Job = () => boolean

/**
 * Opens the computing of one thread. Of those who wait one after the other begins, in turn between the keys, so that nobody waits
 * behind all that another has asked for. How many may wait is bounded by the places of requests.
 */
export function openComputing({
  nowMs = () => performance.now(),
  nextTurn = setImmediate,
}: ComputingOptions = {}): Computing {
  /** Of each key what it waits for, the key whose turn is next first. */
  const lines = new Map<string, Job[]>()
  let spentMs = 0
  let isExpected = false

  const expectTurn = (): void => {
    if (isExpected) return
    isExpected = true
    nextTurn(() => {
      isExpected = false
      spentMs = 0
      goOn()
    })
  }

  /** Piece by piece, as long as the turn lasts; true when the job has ended. */
  const worked = (job: Job): boolean => {
    for (;;) {
      const beganMs = nowMs()
      const ended = job()
      spentMs += nowMs() - beganMs
      if (ended || spentMs >= turnMs) return ended
    }
  }

  /** The first of the line goes on; what is left of the line stands behind all others. */
  const advance = (key: string, jobs: Job[]): void => {
    lines.delete(key)
    if (jobs[0] && worked(jobs[0])) jobs.shift()
    if (jobs.length > 0) lines.set(key, jobs)
  }
  const goOn = (): void => {
    for (const [key, jobs] of lines) {
      if (spentMs >= turnMs) break
      advance(key, jobs)
    }
    if (lines.size > 0) expectTurn()
  }

  const enter = (key: string, job: Job): void => {
    expectTurn()
    if (lines.size === 0 && spentMs < turnMs && worked(job)) return
    const jobs = lines.get(key)
    if (jobs) jobs.push(job)
    else lines.set(key, [job])
  }

  const runInPieces: Computing['runInPieces'] = (key, work) =>
    new Promise((resolve, reject) => enter(key, jobOf(work, resolve, reject)))

  return {
    run: (key, work) => runInPieces(key, wholeOf(work)),
    runInPieces,
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
