/** Embedded event stores for tests, closed when the test is over. */

import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import {
  type EmbeddedEventStore,
  type EmbeddedEventStoreOptions,
  openEmbeddedEventStore,
} from '../../../src/stores/embedded/embeddedEventStore.ts'
import type { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import {
  runWriterInline,
  startWriterThread,
  type WriterThread,
} from '../../../src/stores/embedded/writerThread.ts'
import { temporaryFolder } from './temporaryFolder.ts'

interface TestOptions extends Partial<Omit<EmbeddedEventStoreOptions, 'thread'>> {
  /** The test's own unless given: the thread of the built service takes a while to start. */
  readonly thread?: 'caller' | 'own' | WriterThread
  /** Another way to open the file, to let it fail, in the test's own thread. */
  readonly open?: typeof openDatabase
}

export async function openForTest({
  thread = 'caller',
  open,
  ...options
}: TestOptions = {}): Promise<EmbeddedEventStore> {
  const writer = typeof thread === 'string' ? writerIn(thread, open) : thread
  const folder = options.folder ?? temporaryFolder()
  onTestFinished(writer.close)
  const store = await openEmbeddedEventStore({ ...options, thread: writer, folder })
  onTestFinished(() => store.close())
  return store
}

function writerIn(thread: 'caller' | 'own', open: typeof openDatabase | undefined): WriterThread {
  if (thread === 'own') return startWriterThread()
  return runWriterInline({ clock: { nowMs: Date.now }, random: { bytes: randomBytes }, open })
}
