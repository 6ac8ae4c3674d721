/** Where the read models are kept, and how a thread comes to them. */

import { openEmbeddedReadStore } from '../../stores/embedded/readStore.ts'
import type { ReadStore } from '../../stores/readStore.ts'

export type DocumentSource =
  | {
      readonly kind: 'embedded'
      readonly folder: string
      /** See `ViewsOptions`. */
      readonly session: string
    }
  | { readonly kind: 'mongoDb'; readonly url: string }

interface WritingOptions {
  /** Told with a sentence when the read models are thrown away and built again. */
  readonly onRebuild: (message: string) => void
  /** Takes the place of the clock of the store. */
  readonly nowMs?: () => number
}

export interface DocumentStores {
  /** For the threads that project, or would if they had the lease. */
  readonly forWriting: (options: WritingOptions) => ReadStore
  /** Once somebody has opened them for writing. */
  readonly forReading: () => ReadStore
}

/** Loads what the source needs; the stores open at once then, and throw an `Error` that names a file that they cannot use. */
export async function documentStores(source: DocumentSource): Promise<DocumentStores> {
  if (source.kind === 'embedded') {
    const { folder, session } = source
    return {
      forWriting: (options) => openEmbeddedReadStore({ folder, session, ...options }),
      forReading: () => openEmbeddedReadStore({ folder, readOnly: true }),
    }
  }
  // loaded only here: whoever keeps everything in the folder needs nothing of it
  const { connectMongoDb } = await import('../../stores/mongodb/mongoConnection.ts')
  const { openMongoReadStore } = await import('../../stores/mongodb/mongoReadStore.ts')
  const open = (options: Pick<WritingOptions, 'nowMs'>) =>
    openMongoReadStore({ connection: connectMongoDb(source), ...options })
  return {
    forWriting: ({ nowMs }) => open(nowMs ? { nowMs } : {}),
    forReading: () => open({}),
  }
}
