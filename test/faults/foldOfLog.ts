/** The documents that the log makes, folded once from its beginning, and those that a store has. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalJson } from '../../src/domain/text/canonicalJson.ts'
import { decode } from '../../src/events/catalogue.ts'
import { allProjections } from '../../src/projections/allProjections.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/embeddedReadStore.ts'
import type { EventStore } from '../../src/stores/eventStore.ts'
import type { Collection, ReadStore } from '../../src/stores/readStore.ts'
import { runTracked } from '../projections/trackProjections.ts'

const foldMs = 120_000
const pageMax = 1_000

/**
 * Every document of every read model, by collection and id, as canonical JSON. Not with its position: that of a
 * document which went and came back with the same body is of the first time in one store and of the last in another.
 */
export type Documents = ReadonlyMap<string, string>

/** Folds the whole log into a store of its own. */
export async function foldOfLog(events: EventStore): Promise<Documents> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-faults-fold-'))
  const documents = openEmbeddedReadStore({ folder })
  const projections = runTracked({
    eventStore: events,
    readStore: documents,
    projections: allProjections,
    decode,
    onOtherLog: 'refuse',
  })
  try {
    if (!(await projections.waitFor(await events.head(), foldMs))) {
      throw new Error(`the log was not folded within ${foldMs} ms`)
    }
    return await documentsIn(documents)
  } finally {
    await projections.close()
    await documents.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a store has for readers. */
export async function documentsIn(store: Pick<ReadStore, 'find'>): Promise<Documents> {
  const documents = new Map<string, string>()
  for (const collection of allProjections.flatMap(({ collections }) => collections)) {
    for await (const { id, body } of allOf(store, collection)) {
      documents.set(`${collection.name} ${id}`, canonicalJson(body))
    }
  }
  return documents
}

async function* allOf(store: Pick<ReadStore, 'find'>, collection: Collection) {
  let after: { readonly id: string; readonly values: readonly [] } | undefined
  for (;;) {
    const where = { id: { gte: '' } }
    const page = await store.find(collection, { where, limit: pageMax, ...(after && { after }) })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < pageMax) return
    after = { id: last.id, values: [] }
  }
}
