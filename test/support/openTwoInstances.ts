/** Two whole services on one log, each with a memory of its own, in one process. */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { hashSecret } from '../../src/auth/apiToken.ts'
import { readModels } from '../../src/projections/readModels.ts'
import type { Projections } from '../../src/projections/running/projections.ts'
import { watchProjections } from '../../src/projections/running/watchProjections.ts'
import { openBackground } from '../../src/service/opening/background.ts'
import {
  follow,
  openServiceContext,
  type ServiceContext,
} from '../../src/service/opening/serviceContext.ts'
import { startProjections } from '../../src/service/opening/startProjections.ts'
import { openManagedSet } from '../../src/service/rulebook/managedSet.ts'
import { joinService, type Service } from '../../src/service.ts'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/readStore.ts'
import type { EventStore } from '../../src/stores/eventStore.ts'
import { openKeyring } from '../../src/stores/keyring.ts'
import { type Door, openDoor } from '../http/support/openDoor.ts'
import { memoryKeyStore } from './memoryKeyStore.ts'
import { operatorToken } from './openVigil.ts'

export interface Instance {
  readonly door: Door
  readonly service: Service
  readonly context: ServiceContext
  /** What it has asked the log for streams that it holds or wants to hold. */
  readonly reads: () => number
  /** What it could not follow, or do in the background. */
  readonly faults: readonly unknown[]
}

export interface TwoInstances {
  readonly a: Instance
  /** The other one. */
  readonly b: Instance
  /** Ends the projections, which A runs and B sees. */
  readonly stopProjections: () => Promise<void>
}

interface TwoOptions {
  /** B believes that it hears everything, and hears nothing: what it gets right, it gets right by asking the log. */
  readonly deaf?: boolean
}

/** Opens both; they are closed when the test is over. */
export async function openTwoInstances({ deaf = false }: TwoOptions = {}): Promise<TwoInstances> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  const closers: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closers.reverse()) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const events = await openEmbeddedEventStore({ folder, thread: 'caller' })
  closers.push(events.close)
  const projections = await startProjections({
    folder,
    eventStore: events,
    thread: 'caller',
    clock: { nowMs: Date.now },
    onAlarm: ({ message }) => {
      throw new Error(message)
    },
  })
  const stopProjections = once(projections.close)
  closers.push(stopProjections)
  const keyStore = memoryKeyStore()
  const masterKey = randomBytes(32)
  const chance = { bytes: (count: number) => randomBytes(count) }

  const open = async (
    store: EventStore,
    clock: { nowMs: () => number },
    run?: Projections,
  ): Promise<Instance> => {
    const documents = openEmbeddedReadStore({ folder, readOnly: true })
    closers.push(documents.close)
    const seen =
      run ??
      watchProjections({
        readStore: documents,
        projections: readModels,
        nowMs: Date.now,
        everyMs: 10,
      })
    closers.push(seen.close)
    const keyring = await openKeyring({ store: keyStore, masterKey, chance })
    const faults: unknown[] = []
    const background = openBackground((error) => faults.push(error))
    closers.push(background.settled)
    let reads = 0
    const counting: EventStore = {
      ...store,
      readNews: (stream, page) => {
        reads += 1
        return store.readNews(stream, page)
      },
    }
    const context = openServiceContext({
      events: counting,
      documents,
      keyring,
      projections: seen,
      clock,
      chance,
      background,
    })
    const following = await follow(context, (error) => faults.push(error))
    closers.push(following.close)
    await openManagedSet(context)
    const service = joinService({
      context,
      operatorTokenHash: hashSecret(operatorToken),
      close: async () => undefined,
    })
    const door = await openDoor(service)
    closers.push(door.close)
    return { door, service, context, faults, reads: () => reads }
  }

  const startedMs = Date.now()
  const a = await open(events, { nowMs: Date.now }, { ...projections, close: stopProjections })
  const b = deaf
    ? await open({ ...events, followStreams: hearsNothing }, { nowMs: () => startedMs })
    : await open(events, { nowMs: Date.now })
  return { a, b, stopProjections }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

async function* hearsNothing(
  ...[, , signal]: Parameters<EventStore['followStreams']>
): ReturnType<EventStore['followStreams']> extends AsyncIterable<infer One>
  ? AsyncGenerator<One>
  : never {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
}
