import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Alarm } from '../../src/projections/running/projections.ts'
import { startProjections } from '../../src/service/opening/startProjections.ts'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/readStore.ts'
import { markDamaged } from '../../src/stores/embedded/readStoreFile.ts'
import type * as StartThread from '../../src/stores/embedded/startThread.ts'
import { endThread } from '../../src/stores/embedded/threadGate.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'

const threads: Worker[] = []
vi.mock('../../src/stores/embedded/startThread.ts', async (original) => {
  const { startThread } = await original<typeof StartThread>()
  return {
    startThread: (...args: Parameters<typeof startThread>) => {
      const thread = startThread(...args)
      threads.push(thread)
      return thread
    },
  }
})

test('given read models found damaged, when the thread of the projections dies, then none makes them anew under those who read them', async () => {
  const folder = temporaryFolder()
  const events = await openEmbeddedEventStore({ folder, thread: 'caller' })
  onTestFinished(events.close)
  const alarms: Alarm[] = []
  const projections = await startProjections({
    folder,
    log: { events, source: { kind: 'embedded', headBuffer: events.headBuffer } },
    documents: { kind: 'embedded', folder, session: events.session },
    thread: 'own',
    clock: { nowMs: () => 0 },
    chance: { bytes: randomBytes },
    onAlarm: (alarm) => alarms.push(alarm),
  })
  onTestFinished(projections.close)
  const documents = openEmbeddedReadStore({ folder, readOnly: true })
  onTestFinished(documents.close)
  const { ino } = statSync(join(folder, 'views.db'))
  markDamaged(folder)

  const [thread] = threads
  if (thread) await endThread(thread)
  const saidOf = (text: string) => alarms.some((alarm) => JSON.stringify(alarm).includes(text))
  await eventually(() => saidOf('it was found damaged'))

  expect(statSync(join(folder, 'views.db')).ino).toBe(ino)
  expect(saidOf('are built again from the log')).toBe(false)
  await expect(documents.checkpoints()).rejects.toMatchObject({ isDamage: true })
})
