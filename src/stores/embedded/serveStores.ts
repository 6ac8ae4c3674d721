/** Lends the embedded stores of this process to another one of the service: it alone writes, the others ask it to. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { LineHandlers, ProcessLine } from '../../domain/processLine.ts'
import type { Append } from '../eventStore.ts'
import type { KeyStore } from '../keyStore.ts'
import { type BatchMessage, decodeBatch } from './batchMessage.ts'
import type { EmbeddedEventStore } from './embeddedEventStore.ts'
import { decodeKeys, encodeKeys, type KeysMessage } from './keysMessage.ts'
import { sharedHead } from './sharedHead.ts'

/** An append on its way: whose it is, and its stream and events as a batch of one. */
export interface AppendMessage {
  readonly account: string | undefined
  readonly batch: BatchMessage
}

/** How the log is, told now and then and whenever it has grown. */
export interface LogNews {
  /** Position of its last event. */
  readonly head: number
  readonly takesAppends: boolean
}

/** Rest between two pieces of news: who waits for the end of the log waits so much longer. */
const restMs = 5

export interface LentStores {
  readonly events: Pick<EmbeddedEventStore, 'append' | 'takesAppends' | 'headBuffer'>
  readonly keys: KeyStore
}

/** What another process can ask of these stores. */
export function storeAnswers({ events, keys }: LentStores): NonNullable<LineHandlers['answers']> {
  return {
    append: ({ account, batch }: AppendMessage) =>
      events.append(appendOf(decodeBatch(batch)[0], account)),
    makeKeys: async (count: number): Promise<KeysMessage> => encodeKeys(await keys.make(count)),
    addKeys: (message: KeysMessage) => keys.add(decodeKeys(message)),
    findKeys: (ids: readonly string[]) => keys.keys(ids),
    destroyKeys: ([ids, atMs]: readonly [readonly string[], number]) => keys.destroy(ids, atMs),
    destroyedSince: (atMs: number) => keys.destroyedSince(atMs),
    discardKeys: (ids: readonly string[]) => keys.discard(ids),
  }
}

function appendOf(append: Append | undefined, account: string | undefined): Append {
  if (!append) throw new Error('an append without a stream')
  return { ...append, ...(account !== undefined && { account }) }
}

/** Tells the other process how the log is until the line ends or `signal` is aborted. */
export async function tellLogNews(
  { events }: Pick<LentStores, 'events'>,
  { tell, isFull }: Pick<ProcessLine, 'tell' | 'isFull'>,
  signal: AbortSignal,
): Promise<void> {
  const head = sharedHead(events.headBuffer)
  while (!signal.aborted) {
    const news: LogNews = { head: head.position(), takesAppends: events.takesAppends() }
    if (!isFull()) tell('log', news)
    await sleep(restMs, undefined, { signal }).catch(() => undefined)
    // a second at the most
    if (!signal.aborted) await head.change(news.head, signal)
  }
}
