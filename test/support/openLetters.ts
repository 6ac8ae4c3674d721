/** A Vigil on real stores whose one projection is that of letters, which fails on some of them until it is mended. */

import { randomUUID } from 'node:crypto'
import type { Projection } from '../../src/projections/running/projection.ts'
import type { Door } from '../http/support/openDoor.ts'
import { decodeLetters, letters } from '../projections/lettersProjection.ts'
import { openInstance, openSharedStores } from './openTwoInstances.ts'

export interface LettersVigil {
  readonly door: Door
  /** Letters that cannot be applied to a word whose id begins with `p`; taking them out mends the projection. */
  readonly poison: Set<string>
  /** Writes the letters, each an event, and answers their positions once they have been handled. */
  readonly add: (id: string, letters: string) => Promise<readonly number[]>
  /** What the letters of a word have become. */
  readonly word: (id: string) => Promise<unknown>
}

/** Opens it over `projection`, the one of letters unless given; it is closed when the test is over. */
export async function openLetters(
  projectionOf: (poison: ReadonlySet<string>) => Projection = (poison) => letters({ poison }),
): Promise<LettersVigil> {
  const poison = new Set(['!'])
  const projection = projectionOf(poison)
  const stores = await openSharedStores()
  const { events } = stores
  const { door, context } = await openInstance(
    stores,
    { owner: 'a', events, clock: { nowMs: Date.now } },
    { projections: [projection], decode: decodeLetters },
  )
  const seen = async (position: number): Promise<void> => {
    if (!(await context.projections.waitFor(position, 60_000))) throw new Error('not seen')
  }
  // a projection that has not caught up once parks nothing
  await seen(await events.head())
  return {
    door,
    poison,
    add: async (id, text) => {
      const positions: number[] = []
      for (const letter of text) {
        const appended = await events.append({
          stream: `letters-${randomUUID()}`,
          expected: 'no_stream',
          events: [letterAdded(id, letter)],
        })
        if (!appended.ok) throw new Error('not appended')
        positions.push(appended.position)
      }
      await seen(positions.at(-1) ?? 0)
      return positions
    },
    word: async (id) => {
      const [collection] = projection.collections
      return collection && (await stores.readStore.get(collection, id))?.body['text']
    },
  }
}

function letterAdded(id: string, letter: string) {
  return {
    id: randomUUID(),
    type: 'LetterAdded',
    data: JSON.stringify({ ids: [id], letter }),
    metadata: JSON.stringify({ account: 'acc', time: 0 }),
  }
}
