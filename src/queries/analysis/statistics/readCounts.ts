/** Reads the counts of a flow in the order of time. */

import { buildCountsPrefix, type CountedUnit } from '../../../projections/analysis/counts.ts'
import {
  type FoundDocument,
  type Readers,
  readDocumentPages,
} from '../../../projections/running/documents.ts'
import type { DocumentCollection } from '../../../projections/running/projection.ts'

export interface CountedRange {
  readonly account: string
  readonly flowId: string
  /** What each document of the collection counts. */
  readonly unit: CountedUnit
  /** Starts of units, in milliseconds since the Unix epoch: the first included, the last excluded. */
  readonly fromMs: number
  readonly toMs: number
}

/** Of a flow of 2,000 rules a document is 30 KB. */
const readAtOnce = 200

/** Pages of the counts of the flow in the range, in the order of time. Throws `Failure` `unavailable`. */
export function readCounts<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  { account, flowId, unit, fromMs, toMs }: CountedRange,
): AsyncGenerator<readonly FoundDocument<Document>[], void, undefined> {
  const id = {
    gte: buildCountsPrefix(account, flowId, { unit, timeMs: fromMs }),
    lt: buildCountsPrefix(account, flowId, { unit, timeMs: toMs }),
  }
  return readDocumentPages<Document>(readers, collection, {
    question: { where: { id } },
    readAtOnce,
  })
}
