/** Who answers the heavy questions: a thread of their own over the read models, or the caller's. */

import type { Projections } from '../../projections/running/projections.ts'
import { type Answered, type Answering, answerOf } from '../../queries/heavyQuestions.ts'
import { askThread } from '../../queries/reading/askThread.ts'
import { inTurns } from '../../queries/reading/inTurns.ts'
import type { Readers } from '../../queries/reading/readers.ts'
import { startThread } from '../../stores/embedded/startThread.ts'
import type { AnsweringThreadStart } from './answeringThread.ts'
import { threadOf } from './threadOf.ts'

interface AnsweringOptions extends AnsweringThreadStart {
  readonly projections: Pick<Projections, 'progress'>
  /** Told why, when the thread ended without being told to. */
  readonly onLost: (why: string) => void
}

/** Answers in a thread of their own, which reads the read models by itself; they must exist. */
export function answerInThread({ source, projections, onLost }: AnsweringOptions): Answering {
  const start: AnsweringThreadStart = { source }
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const module = new URL(`./answeringThread.${extension}`, import.meta.url)
  const { ask, close } = askThread({
    start: () => threadOf(startThread(module, start)),
    active: () => activeOf(projections),
    onLost,
    nowMs: () => performance.now(),
  })
  return {
    // the thread answers by the same table of questions
    answer: (name, asked, signal) => ask(name, asked, signal) as Promise<Answered<typeof name>>,
    close,
  }
}

/** Answers in the caller's thread, for tests. */
export function answerHere(readers: Readers): Answering {
  return {
    answer: (name, asked, signal) => {
      const documents = inTurns(readers.documents, () => signal.aborted)
      return answerOf({ ...readers, documents }, name, asked)
    },
    close: async () => {},
  }
}

function activeOf({ progress }: Pick<Projections, 'progress'>): Readonly<Record<string, number>> {
  const known = progress().flatMap(({ name, active }) =>
    active === undefined ? [] : [[name, active] as const],
  )
  return Object.fromEntries(known)
}
