/**
 * A read store whose user can be stopped, as a process is by SIGSTOP: what it has begun goes on only once it is
 * continued.
 */

import type { SharedReadStore } from '../../src/stores/readStore.ts'

export interface FreezableStore {
  readonly store: SharedReadStore
  /** At once, or at the next call of this function. */
  readonly freeze: (at?: string) => void
  readonly thaw: () => void
  /** Calls that wait to be continued. */
  readonly waiting: () => number
  /** Calls of these functions that have come through. */
  readonly calls: (name: string) => number
}

type Work = (...args: never[]) => Promise<unknown>

/** The store behind a gate. */
export function freezableStore(store: SharedReadStore): FreezableStore {
  const waiting: (() => void)[] = []
  const counts = new Map<string, number>()
  let isFrozen = false
  let freezesAt: string | undefined

  const gated = <Given extends Work>(name: string, work: Given): Given =>
    (async (...args: never[]) => {
      if (name === freezesAt) isFrozen = true
      if (isFrozen) await new Promise<void>((resolve) => waiting.push(resolve))
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return work(...args)
    }) as Given

  const gate = <Functions extends object>(functions: Functions): Functions =>
    Object.fromEntries(
      Object.entries(functions).map(([name, work]) => [
        name,
        typeof work === 'function' ? gated(name, work as Work) : gate(work as object),
      ]),
    ) as Functions

  const { withLease, close, ...rest } = store
  return {
    store: {
      ...gate(rest),
      close,
      withLease: (lease) => {
        const { close: _, ...held } = withLease(lease)
        return { ...gate(held), close }
      },
    },
    freeze: (at) => {
      if (at === undefined) isFrozen = true
      freezesAt = at
    },
    thaw: () => {
      isFrozen = false
      freezesAt = undefined
      for (const go of waiting.splice(0)) go()
    },
    waiting: () => waiting.length,
    calls: (name) => counts.get(name) ?? 0,
  }
}
