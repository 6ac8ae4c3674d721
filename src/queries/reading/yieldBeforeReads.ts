/** Makes a query yield to other work before each read, and ends it once it is cancelled. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import type { Readers } from './documents.ts'

/** Documents for a query that yields before each read, and reads no more once it is given up. */
export function yieldBeforeReads(
  { get, find }: Readers['documents'],
  isGivenUp: () => boolean,
): Readers['documents'] {
  const yieldToOthers = async (): Promise<void> => {
    await nextTurn()
    if (isGivenUp()) throw new Failure('unavailable', 'The question was given up.')
  }
  return {
    get: async (collection, id) => {
      await yieldToOthers()
      return get(collection, id)
    },
    find: async (collection, asked) => {
      await yieldToOthers()
      return find(collection, asked)
    },
  }
}
