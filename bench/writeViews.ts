/**
 * Writes read models as fast as it can, for a while, in a process of its own: its write-ahead log is checkpointed again
 * and again.
 */

import { setPriority } from 'node:os'
import type { Collection } from '../src/stores/readStore.ts'
import { openEmbeddedReadStore } from './built.ts'
import { answerMessages } from './childProcess.ts'

export interface ViewsToWrite {
  readonly folder: string
  readonly durationMs: number
}

/**
 * About as long as the document of an evaluation; ids in no order, so that a checkpoint has pages all over the file.
 */
const collection: Collection = { name: 'written', version: 1, indexes: [['account', 'time']] }
const text = 'x'.repeat(600)
const documentsAtOnce = 200
const idsMax = 100_000

// as the thread of the read models has it
setPriority(5)
answerMessages<ViewsToWrite, number>(write)

/** Answers how many documents it has written. */
async function write({ folder, durationMs }: ViewsToWrite): Promise<number> {
  const store = openEmbeddedReadStore({ folder })
  await store.prepare([collection])
  const checkpoint = { projection: 'written', version: 1, ready: true, collections: ['written'] }
  let position = (await store.checkpoints())[0]?.position ?? 0
  const first = position
  const endMs = performance.now() + durationMs
  while (performance.now() < endMs) {
    const drawn = Array.from({ length: documentsAtOnce }, () => {
      position += 1
      const id = `d${Math.floor(Math.random() * idsMax)}`
      return { collection, id, position, body: { account: 'a', time: position, text } }
    })
    const each = new Map(drawn.map((change) => [change.id, change]))
    const changes = [...each.values()]
    await store.commit([{ changes, checkpoint: { ...checkpoint, position } }])
  }
  await store.close()
  return position - first
}
