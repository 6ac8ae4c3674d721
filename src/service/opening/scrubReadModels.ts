/** Scrubs the read models of a data folder: what is found damaged is marked, so that the next start builds them again. */

import type { Logger } from '../../log.ts'
import { dataFolder } from '../../stores/embedded/dataFolder.ts'
import { markDamaged } from '../../stores/embedded/readStoreFile.ts'
import { scrubDaily } from '../../stores/embedded/scrubDaily.ts'
import type { ReadStore } from '../../stores/readStore.ts'

interface ScrubTold {
  readonly logger: Pick<Logger, 'warn' | 'error'>
  /** Those of this process: who asks them once the file is marked has the damage said and counted, once whoever met it first. */
  readonly documents: Pick<ReadStore, 'checkpoints'>
}

/** Goes on until it is closed. */
export function scrubReadModels(
  folder: string,
  { logger, documents }: ScrubTold,
): { readonly close: () => Promise<void> } {
  const { views: file } = dataFolder(folder)
  return scrubDaily({
    of: 'views',
    file,
    onOdd: ({ kind, message: why }) => {
      logger.warn({ why }, sentences[kind])
      if (kind === 'unknown') return
      try {
        markDamaged(folder)
      } catch (err) {
        logger.error({ err }, 'The damage cannot be remembered: delete views.db before a restart.')
      }
      // what it rejects with has been said by then
      documents.checkpoints().catch(() => undefined)
    },
  })
}

const sentences = {
  unknown: 'The read models could not be scrubbed.',
  damaged: 'Scrubbing has found the read models damaged.',
} as const
