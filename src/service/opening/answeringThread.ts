/** The thread in which heavy questions are answered, so that verdicts do not wait for them. */

import { parentPort, workerData } from 'node:worker_threads'
import type { Line } from '../../projections/running/projectionMessages.ts'
import { type Asked, answerOf, type QuestionName } from '../../queries/heavyQuestions.ts'
import type { FromAnswering, ToAnswering } from '../../queries/reading/questionMessages.ts'
import { type ServingQuestions, serveQuestions } from '../../queries/reading/serveQuestions.ts'
import { openEmbeddedReadStore } from '../../stores/embedded/readStore.ts'

export interface AnsweringThreadStart {
  readonly folder: string
}

if (parentPort) {
  const line: Line<FromAnswering, ToAnswering> = parentPort
  serveQuestions(line, embedded(workerData as AnsweringThreadStart))
}

function embedded({ folder }: AnsweringThreadStart): ServingQuestions {
  const documents = openEmbeddedReadStore({ folder, readOnly: true })
  return {
    documents,
    // the other end of the line asks by the same table of questions
    answer: (readers, name, asked) =>
      answerOf(readers, name as QuestionName, asked as Asked<QuestionName>),
    close: async () => {
      await documents.close()
      parentPort?.close()
    },
  }
}
