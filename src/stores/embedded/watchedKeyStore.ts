/** A key store that takes and destroys no more keys once its file was deleted or replaced under it. */

import type { KeyStore } from '../keyStore.ts'
import { damagedStore } from './databaseTrouble.ts'
import { copyOpenFile, watchFile } from './watchFile.ts'

export interface WatchedKeyStoreOptions {
  /** What the store has open. */
  readonly file: string
  /** Between two looks. */
  readonly everyMs?: number | undefined
}

/** Keys that are there are found on. Whatever is asked beside that throws `unavailable`, as of a store that is damaged. */
export function watchedKeyStore(
  store: KeyStore,
  { file, everyMs }: WatchedKeyStoreOptions,
): KeyStore {
  let gone: Error | undefined
  const onGone = (refusal: Error): void => {
    gone = damagedStore('key store', refusal)
  }
  const watch = watchFile({ file, everyMs, onGone, wayOn: copyOpenFile })
  const unlessGone =
    <Args extends readonly unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (gone) throw gone
      return ask(...args)
    }
  return {
    make: unlessGone(store.make),
    add: unlessGone(store.add),
    keys: store.keys,
    destroy: unlessGone(store.destroy),
    destroyedSince: unlessGone(store.destroyedSince),
    discard: unlessGone(store.discard),
    close: async () => {
      watch.close()
      await store.close()
    },
  }
}
