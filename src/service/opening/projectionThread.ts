/** The thread that the projections run in, so that verdicts do not wait for them. */

import { parentPort, workerData } from 'node:worker_threads'
import { decode } from '../../events/catalogue.ts'
import { readModels } from '../../projections/readModels.ts'
import type {
  FromProjections,
  Line,
  ToProjections,
} from '../../projections/running/projectionMessages.ts'
import { publishStates } from '../../projections/running/publishedStates.ts'
import { startRunner } from '../../projections/running/runner.ts'
import { type Serving, serveProjections } from '../../projections/running/serveProjections.ts'
import { openEmbeddedEventReader } from '../../stores/embedded/embeddedEventReader.ts'
import { openEmbeddedReadStore } from '../../stores/embedded/readStore.ts'

export interface ProjectionThreadStart {
  readonly folder: string
  /** Of the event store that this process has open. */
  readonly headBuffer: SharedArrayBuffer
}

if (parentPort) {
  const line: Line<FromProjections, ToProjections> = parentPort
  serveProjections(line, embedded(workerData as ProjectionThreadStart))
}

function embedded({ folder, headBuffer }: ProjectionThreadStart): Serving {
  const closers: (() => Promise<void>)[] = []
  return {
    open: (told) => {
      const onRebuild = (message: string): void => told.onAlarm({ kind: 'rebuilt', message })
      const readStore = openEmbeddedReadStore({ folder, onRebuild })
      closers.push(readStore.close)
      const eventStore = openEmbeddedEventReader({ folder, headBuffer })
      closers.push(eventStore.close)
      const runner = startRunner({
        ...told,
        eventStore,
        readStore,
        projections: readModels,
        decode,
        onOtherLog: 'rebuild',
        nowMs: Date.now,
      })
      const { onAlarm } = told
      const shown = { readStore, states: runner.progress, nowMs: Date.now, onAlarm }
      closers.unshift(publishStates(shown).close)
      return runner
    },
    close: async () => {
      for (const close of closers.splice(0)) await close()
      parentPort?.close()
    },
  }
}
