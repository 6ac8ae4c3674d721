/** A Vigil on real stores whose one projection is that of letters, which fails on some of them until it is mended. */

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServiceContext, serviceOf } from '../../src/app/serviceContext.ts'
import { hashSecret } from '../../src/auth/apiToken.ts'
import { openBackground } from '../../src/commands/handling/background.ts'
import { installManagedSet } from '../../src/commands/rulebook/managed/installManagedSet.ts'
import type { Projection } from '../../src/projections/running/projection.ts'
import { startRunner } from '../../src/projections/running/runner.ts'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/readStore.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import { type Door, openDoor } from '../http/support/openDoor.ts'
import { decodeLetters, letters } from '../projections/lettersProjection.ts'
import { memoryKeyStore } from './memoryKeyStore.ts'
import { operatorToken } from './openVigil.ts'

export interface LettersVigil {
  readonly door: Door
  /** Letters that cannot be applied to a word whose id begins with `p`; taking them out mends the projection. */
  readonly poison: Set<string>
  /** Writes the letters, each an event, and answers their positions once they have been handled. */
  readonly add: (id: string, letters: string) => Promise<readonly number[]>
  /** What the letters of a word have become. */
  readonly word: (id: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Opens it over `projection`, the one of letters unless given. */
export async function openLetters(
  projectionOf: (poison: ReadonlySet<string>) => Projection = (poison) => letters({ poison }),
): Promise<LettersVigil> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  const poison = new Set(['!'])
  const projection = projectionOf(poison)
  const events = await openEmbeddedEventStore({ folder, thread: 'caller' })
  const readStore = openEmbeddedReadStore({ folder })
  const projections = startRunner({
    eventStore: events,
    readStore,
    projections: [projection],
    decode: decodeLetters,
    onOtherLog: 'refuse',
  })
  const documents = openEmbeddedReadStore({ folder, readOnly: true })
  const random = { bytes: (count: number) => randomBytes(count) }
  const keyring = await openKeyring({ store: memoryKeyStore(), masterKey: randomBytes(32), random })
  const clock = { nowMs: Date.now }
  const context = openServiceContext({
    events,
    documents,
    keyring,
    projections: {
      ...projections,
      leaseStatus: () => ({ isOwner: true, fence: 1, isRunning: true }),
      watch: () => () => undefined,
    },
    clock,
    random,
    background: openBackground(() => undefined),
    operatorTokenHash: hashSecret(operatorToken),
  })
  await installManagedSet(context)
  // a projection that has not caught up once parks nothing
  if (!(await projections.waitFor(await events.head(), 10_000))) throw new Error('not caught up')
  const door = await openDoor(serviceOf(context, async () => undefined))
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
      if (!(await projections.waitFor(positions.at(-1) ?? 0, 10_000))) throw new Error('not seen')
      return positions
    },
    word: async (id) => {
      const [collection] = projection.collections
      return collection && (await documents.get(collection, id))?.body['text']
    },
    close: async () => {
      await door.close()
      await projections.close()
      for (const store of [documents, readStore, keyring, events]) await store.close()
      rmSync(folder, { recursive: true, force: true })
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
