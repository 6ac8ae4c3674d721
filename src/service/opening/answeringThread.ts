/** The thread in which heavy questions are answered, so that verdicts do not wait for them. */

import { parentPort, workerData } from 'node:worker_threads'
import type { Line } from '../../projections/running/projectionMessages.ts'
import { type Asked, answerOf, type QuestionName } from '../../queries/heavyQuestions.ts'
import type { FromAnswering, ToAnswering } from '../../queries/reading/questionMessages.ts'
import { type ServingQuestions, serveQuestions } from '../../queries/reading/serveQuestions.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import { type DocumentSource, documentStores } from './documentStores.ts'
import { giveWay } from './giveWay.ts'

export interface AnsweringThreadStart {
  /** Of the read models, which exist. */
  readonly source: DocumentSource
}

if (parentPort) {
  giveWay()
  const line: Line<FromAnswering, ToAnswering> = parentPort
  const { source } = workerData as AnsweringThreadStart
  const { forReading } = await documentStores(source)
  serveQuestions(line, serving(forReading()))
}

function serving(documents: ReadStore): ServingQuestions {
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
