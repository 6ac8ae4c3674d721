/** Scrubs the read models of a data folder: what is found damaged is marked, so that the next start builds them again. */

import type { Logger } from '../../log.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import { dataFolder } from '../../stores/embedded/dataFolder.ts'
import { markDamaged } from '../../stores/embedded/readStoreFile.ts'
import { scrubDaily } from '../../stores/embedded/scrubDaily.ts'

interface ScrubTold {
  readonly logger: Pick<Logger, 'warn' | 'error'>
  readonly metrics: Pick<Metrics, 'damaged'>
}

/** Goes on until it is closed. From the mark on whoever asks for their checkpoints is told. */
export function scrubReadModels(
  folder: string,
  { logger, metrics }: ScrubTold,
): { readonly close: () => Promise<void> } {
  const { views: file } = dataFolder(folder)
  return scrubDaily({
    of: 'views',
    file,
    onOdd: ({ kind, message: why }) => {
      if (kind === 'unknown') {
        logger.warn({ why }, 'The read models could not be scrubbed.')
        return
      }
      metrics.damaged('documents')
      logger.error(
        { kind: 'damage', store: 'documents', why },
        'The read models are damaged: restart Vigil, which builds them again from the log.',
      )
      try {
        markDamaged(folder)
      } catch (err) {
        logger.error(
          { err },
          'The damage cannot be remembered: delete views.db before the restart.',
        )
      }
    },
  })
}
