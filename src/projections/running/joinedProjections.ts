/** The projections that another process of this service runs or watches, as it tells of them. */

import { progressBoard } from './progressBoard.ts'
import type { Projection } from './projection.ts'
import { type Holding, notHeld } from './projectionLease.ts'
import type { ProjectionState, SharedProjections } from './projections.ts'
import { statesAtRest } from './states.ts'

/** How they are. */
export interface ProjectionNews {
  readonly states: readonly ProjectionState[]
  readonly holding: Holding
}

export interface JoinedProjections extends SharedProjections {
  /** To be told whatever is heard of them. */
  readonly hear: (news: ProjectionNews) => void
}

/** What whoever runs them is asked to do. */
export type ProjectionOrders = Pick<SharedProjections, 'retryParked' | 'hurry'>

/** Until something is heard they show as catching up at the start of the log. */
export function joinedProjections(
  projections: readonly Projection[],
  orders: ProjectionOrders,
): JoinedProjections {
  const board = progressBoard(statesAtRest(projections), orders.hurry)
  let holding = notHeld
  return {
    ...board,
    holding: () => holding,
    ...orders,
    hear: (news) => {
      holding = news.holding
      board.update(news.states)
    },
    close: async () => board.close(),
  }
}

/** Tells how they are now, and whenever that changes, until `signal` is aborted; what changes within one turn is told once. */
export function tellProjectionNews(
  projections: Pick<SharedProjections, 'progress' | 'holding' | 'watch'>,
  tell: (news: ProjectionNews) => void,
  signal: AbortSignal,
): void {
  let isDue = false
  const say = (): void => {
    isDue = false
    if (!signal.aborted) tell({ states: projections.progress(), holding: projections.holding() })
  }
  const stop = projections.watch(() => {
    if (isDue) return
    isDue = true
    setImmediate(say)
  })
  // who holds them may change while they stand still
  const timer = setInterval(say, againEveryMs)
  signal.addEventListener('abort', () => {
    clearInterval(timer)
    stop()
  })
  say()
}

const againEveryMs = 500
