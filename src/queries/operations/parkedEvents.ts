/** The question of the operator about what a projection has set aside. */

import {
  type ParkedEvent,
  parkedCollection,
  parkedEventOf,
} from '../../projections/running/parking.ts'
import type { Projection } from '../../projections/running/projection.ts'
import type { Readers } from '../reading/documents.ts'

/** The first parked events of this version of the projection, in the order of the log; `limit` is from 1 to 1,000. */
export async function listParkedEvents(
  { documents }: Pick<Readers, 'documents'>,
  projection: Pick<Projection, 'name' | 'version'>,
  limit: number,
): Promise<readonly ParkedEvent[]> {
  const found = await documents.find(parkedCollection(projection), { where: {}, limit })
  return found.map(parkedEventOf)
}
