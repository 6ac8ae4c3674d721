/** Starts the projections of the embedded stores, in a thread of their own or in the caller's. */

import type { Clock } from '../../domain/clock.ts'
import { decode } from '../../events/catalogue.ts'
import { readModels } from '../../projections/readModels.ts'
import type { Alarm, Projections } from '../../projections/running/projections.ts'
import { publishStates } from '../../projections/running/publishedStates.ts'
import { openRemoteProjections } from '../../projections/running/remoteProjections.ts'
import { startRunner } from '../../projections/running/runner.ts'
import type { EmbeddedEventStore } from '../../stores/embedded/embeddedEventStore.ts'
import { openEmbeddedReadStore } from '../../stores/embedded/readStore.ts'
import { startThread } from '../../stores/embedded/startThread.ts'
import type { ProjectionThreadStart } from './projectionThread.ts'
import { threadOf } from './threadOf.ts'

export interface StartProjectionsOptions {
  readonly folder: string
  readonly eventStore: EmbeddedEventStore
  readonly thread: 'own' | 'caller'
  readonly clock: Clock
  readonly onAlarm: (alarm: Alarm) => void
}

/**
 * Resolves when the read models can be opened for reading; they may still be catching up. Rejects with an `Error` that names the
 * file when they cannot be used. Closing finishes the batch in hand; it must come before the event store is closed.
 */
export async function startProjections(options: StartProjectionsOptions): Promise<Projections> {
  return options.thread === 'own' ? inOwnThread(options) : inCallersThread(options)
}

function inOwnThread({
  folder,
  eventStore,
  onAlarm,
}: StartProjectionsOptions): Promise<Projections> {
  const start: ProjectionThreadStart = { folder, headBuffer: eventStore.headBuffer }
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const module = new URL(`./projectionThread.${extension}`, import.meta.url)
  return openRemoteProjections({
    projections: readModels,
    onAlarm,
    start: () => threadOf(startThread(module, start)),
  })
}

function inCallersThread(options: StartProjectionsOptions): Projections {
  const { folder, eventStore, clock, onAlarm } = options
  const onRebuild = (message: string): void => onAlarm({ kind: 'rebuilt', message })
  const readStore = openEmbeddedReadStore({ folder, onRebuild })
  const runner = startRunner({
    eventStore,
    readStore,
    projections: readModels,
    decode,
    onOtherLog: 'rebuild',
    nowMs: clock.nowMs,
    onAlarm,
  })
  const { nowMs } = clock
  const published = publishStates({ readStore, states: runner.progress, nowMs, onAlarm })
  return {
    ...runner,
    close: async () => {
      await published.close()
      await runner.close()
      await readStore.close()
    },
  }
}
