/** A bounded number of places for work, shared between those who ask: nobody takes more than a share, and who waits is served in turn. */

import type { Crowded } from './shares.ts'

export interface FairQueueOptions {
  /** Places taken at once. */
  readonly places: number
  /** Of them by one key. */
  readonly share: number
  /** Those who wait for a place, of all keys together and of one. */
  readonly waitingMax: number
  readonly waitingShare: number
}

export interface FairQueue {
  /**
   * Begins the work as soon as there is a place: at once when nobody of the key waits, else in turn between the keys. Answers how to
   * leave, or why the work is not even allowed to wait.
   */
  readonly enter: (key: string, begin: (leave: Leave) => void) => Leave | Crowded
  readonly waiting: () => number
}

/** Gives the place back, or the room in the queue, whose work is then never begun; a second time does nothing. */
export type Leave = () => void

/** Everything of one key. */
interface Line {
  taken: number
  readonly waiting: Set<() => void>
}

/** Opens the queue. A key that has no place and does not wait takes no memory. */
export function openFairQueue(options: FairQueueOptions): FairQueue {
  const state: State = {
    ...options,
    lines: new Map(),
    turns: new Set(),
    taken: 0,
    waiting: 0,
  }
  return {
    enter: (key, begin) => {
      const line = lineOf(state, key)
      const isFree = line.waiting.size === 0 && hasPlace(state, line)
      const why = isFree ? undefined : refusal(state, line)
      if (why === undefined) return join(state, { key, line, isFree, begin })
      tidy(state, key, line)
      return why
    },
    waiting: () => state.waiting,
  }
}

interface State extends FairQueueOptions {
  readonly lines: Map<string, Line>
  /** Keys with somebody waiting; the one whose turn is next first. */
  readonly turns: Set<string>
  taken: number
  waiting: number
}

function lineOf({ lines }: State, key: string): Line {
  let line = lines.get(key)
  if (!line) {
    line = { taken: 0, waiting: new Set() }
    lines.set(key, line)
  }
  return line
}

function hasPlace({ taken, places, share }: State, line: Line): boolean {
  return taken < places && line.taken < share
}

function refusal({ waiting, waitingMax, waitingShare }: State, line: Line): Crowded | undefined {
  if (line.waiting.size >= waitingShare) return 'share'
  return waiting >= waitingMax ? 'total' : undefined
}

/** Forgets what is empty. */
function tidy({ lines, turns }: State, key: string, line: Line): void {
  if (line.waiting.size > 0) return
  turns.delete(key)
  if (line.taken === 0) lines.delete(key)
}

interface Joining {
  readonly key: string
  readonly line: Line
  /** Whether it need not wait. */
  readonly isFree: boolean
  readonly begin: (leave: Leave) => void
}

function join(state: State, { key, line, isFree, begin }: Joining): Leave {
  let holds = false
  let hasLeft = false
  const take = (): void => {
    if (line.waiting.delete(take)) state.waiting -= 1
    holds = true
    line.taken += 1
    state.taken += 1
    tidy(state, key, line)
    begin(leave)
  }
  const leave = (): void => {
    if (hasLeft) return
    hasLeft = true
    if (line.waiting.delete(take)) state.waiting -= 1
    if (holds) {
      line.taken -= 1
      state.taken -= 1
    }
    tidy(state, key, line)
    advance(state)
  }
  if (isFree) take()
  else {
    line.waiting.add(take)
    state.waiting += 1
    state.turns.add(key)
  }
  return leave
}

/** Begins what there are places for, in turn between the keys. */
function advance(state: State): void {
  const { turns } = state
  // ends when each key that waits was asked in vain
  for (let asked = 0; asked < turns.size; ) {
    const [key] = turns
    if (key === undefined) return
    const line = lineOf(state, key)
    const [take] = line.waiting
    turns.delete(key)
    turns.add(key)
    if (take && hasPlace(state, line)) {
      asked = 0
      take()
    } else asked += 1
  }
}
