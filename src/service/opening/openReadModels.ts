/** Opens the read models: who runs or watches the projections, who reads, and who answers the heavy questions. */

import type { SharedProjections } from '../../projections/running/projections.ts'
import type { Answering } from '../../queries/heavyQuestions.ts'
import type { OpenedMongo } from '../../stores/mongodb/openMongo.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import { answerHere, answerInThread } from './answering.ts'
import { type Damage, openDamage } from './damage.ts'
import { type DocumentSource, documentStores } from './documentStores.ts'
import type { OpenedLog } from './openLog.ts'
import type { StoreOptions } from './openStores.ts'
import { startProjections } from './startProjections.ts'
import { tellProjections } from './tellProjections.ts'

interface ReadModelsOver {
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly log: OpenedLog
  /** Undefined when the folder keeps them. */
  readonly mongo: OpenedMongo | undefined
  /** Takes what is to be closed, the last first. */
  readonly onOpened: (close: () => Promise<void>) => void
}

export interface OpenedReadModels {
  readonly projections: SharedProjections
  readonly documents: ReadStore
  readonly answering: Answering
}

/** Rejects with an `Error` that names the file when it cannot be used. */
export async function openReadModels(
  options: StoreOptions,
  { folder, log, mongo, onOpened }: ReadModelsOver,
): Promise<OpenedReadModels> {
  const { role = 'all', clock, chance, logger, metrics, thread = 'own' } = options
  const source: DocumentSource = mongo
    ? { kind: 'mongoDb', url: mongo.url }
    : { kind: 'embedded', folder, session: log.session }
  const given = { folder, log, documents: source, thread, role, clock, chance }
  const projections = await startProjections({ ...given, ...tellProjections(logger) })
  onOpened(projections.close)
  const damage = openDamage('documents', { logger, metrics })
  const documents = notingReads((await documentStores(source)).forReading(), damage)
  onOpened(documents.close)
  const onLost = (reason: string): void =>
    logger.error({ reason }, 'The thread that answers heavy questions ended; it is started again.')
  const answering =
    thread === 'own'
      ? answerInThread({ source, projections, onLost })
      : answerHere({ documents, projections })
  onOpened(answering.close)
  return { projections, documents, answering: notingAnswers(answering, damage) }
}

function notingReads(documents: ReadStore, { noting }: Damage): ReadStore {
  return {
    ...documents,
    get: noting(documents.get),
    find: noting(documents.find),
    load: noting(documents.load),
    checkpoints: noting(documents.checkpoints),
  }
}

function notingAnswers({ answer, close }: Answering, { noting }: Damage): Answering {
  return { answer: (...asked) => noting(() => answer(...asked))(), close }
}
