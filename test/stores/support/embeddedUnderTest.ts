/** Embedded event stores for tests, closed when the test is over. */

import { onTestFinished } from 'vitest'
import {
  type EmbeddedEventStore,
  type EmbeddedEventStoreOptions,
  openEmbeddedEventStore,
} from '../../../src/stores/embedded/embeddedEventStore.ts'
import { temporaryFolder } from './temporaryFolder.ts'

/** Writes in the test's own thread unless told otherwise: the thread of the built service takes a while to start. */
export async function openForTest(
  options: Partial<EmbeddedEventStoreOptions> = {},
): Promise<EmbeddedEventStore> {
  const folder = options.folder ?? temporaryFolder()
  const store = await openEmbeddedEventStore({ thread: 'caller', ...options, folder })
  onTestFinished(() => store.close())
  return store
}
