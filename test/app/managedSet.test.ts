import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openServiceContext } from '../../src/app/serviceContext.ts'
import { openBackground } from '../../src/commands/handling/background.ts'
import { installManagedSet } from '../../src/commands/rulebook/managed/installManagedSet.ts'
import { managedStream } from '../../src/events/rulebook/rulebook.ts'
import { shippedSet } from '../../src/managed/shippedSet.ts'
import type { SharedProjections } from '../../src/projections/running/projectionState.ts'
import { requireManagedRulebook } from '../../src/state/rulebook/rulebookStreams.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { type MemoryEventStore, memoryEventStore } from '../support/memoryEventStore.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

async function openInstance(events: MemoryEventStore) {
  const random = { bytes: (count: number) => randomBytes(count) }
  const masterKey = randomBytes(32)
  return openServiceContext({
    events,
    documents: {} as ReadStore,
    keyring: await openKeyring({ store: memoryKeyStore(), masterKey, random }),
    projections: { waitFor: async () => true } as unknown as SharedProjections,
    clock: { nowMs: () => 1_760_000_000_000 },
    random,
    background: openBackground((error) => {
      throw error
    }),
  })
}

test('instances that start together on a new log install what ships once, and all have it', async () => {
  const alone = memoryEventStore()
  await installManagedSet(await openInstance(alone))
  const events = memoryEventStore()
  const instances = await Promise.all(Array.from({ length: 4 }, () => openInstance(events)))

  await Promise.all(instances.map(installManagedSet))

  const ids = (log: MemoryEventStore) => log.log.map(({ stream, id }) => `${stream} ${id}`)
  expect(ids(events)).toEqual(ids(alone))
  expect(new Set(events.log.map(({ stream }) => stream))).toEqual(new Set([managedStream]))
  for (const instance of instances) {
    expect(requireManagedRulebook(instance).setVersion).toBe(shippedSet.version)
  }
})
