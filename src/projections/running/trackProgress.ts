/** Tracks the progress of the projections, and resolves waits for a position. */

import type { ProjectionState } from './projectionState.ts'

interface Waiter {
  readonly position: number
  readonly settle: (passed: boolean) => void
}

/** Starts with these states. `shortenDelay` is called while a caller waits, once between two updates. */
export function trackProgress(initial: readonly ProjectionState[], shortenDelay: () => void) {
  const waiters = new Set<Waiter>()
  const watchers = new Set<() => void>()
  let states = initial
  let used = listUsedStates(initial)
  let mark = findLeastPosition(used)
  let isHurried = false

  const find = (projection: string) => states.find(({ name }) => name === projection)
  const answer = (position: number): boolean | undefined => {
    if (position <= mark) return true
    return cannotReach(used, position) ? false : undefined
  }

  return {
    update: (next: readonly ProjectionState[]): void => {
      states = next
      used = listUsedStates(next)
      mark = findLeastPosition(used)
      for (const waiter of waiters) {
        const passed = answer(waiter.position)
        if (passed !== undefined) waiter.settle(passed)
      }
      // the position may be some batches away
      isHurried = waiters.size > 0
      if (isHurried) shortenDelay()
      for (const notify of watchers) notify()
    },
    /** See `SharedProjections`. */
    watch: (notify: () => void) => {
      watchers.add(notify)
      return () => {
        watchers.delete(notify)
      }
    },
    waitFor: (position: number, timeoutMs: number): Promise<boolean> => {
      const known = answer(position)
      if (known !== undefined || timeoutMs <= 0) return Promise.resolve(known ?? false)
      return new Promise((resolve) => {
        const settle = (passed: boolean): void => {
          clearTimeout(timer)
          waiters.delete(waiter)
          resolve(passed)
        }
        const waiter: Waiter = { position, settle }
        const timer = setTimeout(() => settle(false), timeoutMs)
        waiters.add(waiter)
        if (isHurried) return
        isHurried = true
        shortenDelay()
      })
    },
    progress: () => states,
    position: () => mark,
    passed: (projections: readonly string[]) =>
      Math.min(...projections.map((one) => find(one)?.activePosition ?? 0)),
    active: (projection: string) => find(projection)?.active,
    /** Answers every wait. */
    close: (): void => {
      for (const waiter of waiters) waiter.settle(false)
    },
  }
}

/**
 * The states that readers depend on: of each projection its active version. Without one, or when it no longer runs, the
 * newest version counts as at the start of the log, failing when it can only stay there.
 */
function listUsedStates(states: readonly ProjectionState[]): readonly ProjectionState[] {
  const used = new Map<string, ProjectionState>()
  for (const state of states) {
    if (state.active === state.version) used.set(state.name, state)
    else if (!used.has(state.name)) used.set(state.name, toUnusable(state))
  }
  return [...used.values()]
}

function toUnusable(state: ProjectionState): ProjectionState {
  const status = state.active === undefined ? state.status : 'failing'
  return { ...state, position: 0, status }
}

function findLeastPosition(used: readonly ProjectionState[]): number {
  return used.reduce((mark, { position }) => Math.min(mark, position), Number.MAX_SAFE_INTEGER)
}

function cannotReach(used: readonly ProjectionState[], position: number): boolean {
  return used.some((state) => state.status === 'failing' && state.position < position)
}
