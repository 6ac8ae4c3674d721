/** Saves and loads snapshots of long streams, so that a restart reads few events. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DomainEvent } from '../../events/recording/event.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { SnapshotFiles } from '../../stores/snapshotFiles.ts'
import {
  createFoldedStream,
  type FoldedStream,
  type SnapshotForm,
  type StreamType,
} from './streamType.ts'

interface SnapshotsOptions {
  readonly files: SnapshotFiles
  readonly log: Pick<EventStore, 'readStream'>
  /** Told why one could not be read or written; the stream is read from its beginning then. */
  readonly onFault: (error: unknown) => void
}

export type Snapshots = ReturnType<typeof openSnapshots>

/** As many events as are read in a tenth of a second, from a server too. */
const grownMin = 2_000
/** A stream is written when nothing has come to it for so long. */
const quietMs = 1_000

export function openSnapshots(options: SnapshotsOptions) {
  const { onFault } = options
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout; readonly save: () => void }>()
  const underWay = new Set<Promise<void>>()

  return {
    /** The saved stream, to be read on; undefined without one that fits the stream type and the log. */
    open: <State, Event extends DomainEvent>(
      stream: string,
      streamType: StreamType<State, Event>,
    ) => readSnapshot(options, stream, streamType).catch((error) => void onFault(error)),
    /** Saves the stream, when it has grown enough since the last save, once nothing more comes for a while. */
    scheduleSave: <State>(
      stream: string,
      folded: FoldedStream<State>,
      { snapshot }: Pick<StreamType<State, never>, 'snapshot'>,
    ): void => {
      if (!snapshot || folded.revision - folded.savedRevision < grownMin) return
      clearTimeout(waiting.get(stream)?.timer)
      const save = (): void => {
        waiting.delete(stream)
        const saved = saveSnapshot({ ...options, stream }, folded, snapshot)
          .catch(onFault)
          .finally(() => underWay.delete(saved))
        underWay.add(saved)
      }
      waiting.set(stream, { save, timer: setTimeout(save, quietMs).unref() })
    },
    /** Saves at once what waits to be saved. */
    close: async (): Promise<void> => {
      for (const { timer, save } of waiting.values()) {
        clearTimeout(timer)
        save()
      }
      await Promise.all(underWay)
    },
  }
}

/** The first part: the stream without its state, and the id of its last event. */
interface SnapshotHeader
  extends Pick<FoldedStream<unknown>, 'revision' | 'position' | 'commands' | 'lastCommand'> {
  readonly shape: string
  readonly event: string | undefined
}

async function saveSnapshot<State>(
  { files, log, stream }: SnapshotsOptions & { readonly stream: string },
  folded: FoldedStream<State>,
  { shape, parts }: SnapshotForm<State>,
): Promise<void> {
  const { state, revision, position, commands, lastCommand } = folded
  const [event] = await log.readStream(stream, { from: revision, limit: 1 })
  const folding = { revision, position, commands, lastCommand }
  const header: SnapshotHeader = { shape, event: event?.id, ...folding }
  // an event that comes meanwhile changes the state that is being written
  const isWanted = () => folded.revision === revision
  const all = (function* () {
    yield header
    yield* parts(state)
  })()
  if (await files.write(stream, all, isWanted)) folded.savedRevision = revision
}

async function readSnapshot<State, Event extends DomainEvent>(
  { files, log }: SnapshotsOptions,
  stream: string,
  streamType: StreamType<State, Event>,
): Promise<FoldedStream<State> | undefined> {
  const { snapshot } = streamType
  if (!snapshot) return undefined
  const folded = createFoldedStream(streamType)
  let header: SnapshotHeader | undefined
  for await (const { part } of files.read(stream)) {
    if (header) snapshot.add(folded.state, part)
    else {
      header = part as SnapshotHeader
      const { shape, event, revision, position } = header
      const [recorded] = await log.readStream(stream, { from: revision, limit: 1 })
      const isOfLog = recorded?.id === event && recorded?.position === position
      if (shape !== snapshot.shape || !isOfLog) return undefined
    }
    await nextTurn()
  }
  if (!header) return undefined
  const { shape: _, event: __, ...folding } = header
  const { revision, position } = folding
  return { ...folded, ...folding, caughtUpPosition: position, savedRevision: revision }
}
