/** The answering end of the line: several questions at once, each of which gives the others their turn. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Line } from '../../projections/running/projectionMessages.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import { inTurns } from './inTurns.ts'
import { type FromAnswering, plainFailure, type ToAnswering } from './questionMessages.ts'
import type { Readers } from './readers.ts'

export interface ServingQuestions {
  readonly documents: Pick<ReadStore, 'get' | 'find'>
  /** Rejects with what the question throws. */
  readonly answer: (readers: Readers, name: string, asked: unknown) => Promise<unknown>
  /** Closes the stores. */
  readonly close: () => Promise<void>
}

/** Serves until it is told to close. Every failure is told; nothing is thrown. */
export function serveQuestions(
  line: Line<FromAnswering, ToAnswering>,
  { documents, answer, close }: ServingQuestions,
): void {
  const givenUp = new Set<number>()
  const underWay = new Set<number>()

  const serve = async (question: Extract<ToAnswering, { kind: 'ask' }>): Promise<void> => {
    const { id, name, asked, active } = question
    const readers: Readers = {
      documents: inTurns(documents, () => givenUp.has(id)),
      projections: { active: (projection) => active[projection] },
    }
    underWay.add(id)
    try {
      line.postMessage({ kind: 'answer', id, value: await answer(readers, name, asked) })
    } catch (error) {
      line.postMessage({ kind: 'failure', id, failure: plainFailure(error) })
    } finally {
      underWay.delete(id)
      givenUp.delete(id)
    }
  }
  const end = async (): Promise<void> => {
    for (const id of underWay) givenUp.add(id)
    while (underWay.size > 0) await nextTurn()
    await close()
    line.postMessage({ kind: 'closed' })
  }

  line.on('message', (message) => {
    if (message.kind === 'ask') void serve(message)
    else if (message.kind === 'close') void end()
    else if (underWay.has(message.id)) givenUp.add(message.id)
  })
}
