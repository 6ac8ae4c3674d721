/** Caches the sizes of the networks on lists, also of lists that are not cached themselves. */

import { weighedCache } from '../../domain/load/weighedCache.ts'
import type { NetworkSize } from '../../events/lists/listEntry.ts'

export interface NetworkSizes {
  /** The sizes, and some that were there before; undefined while they are not known, which has them read in the background. */
  readonly get: (name: string) => readonly NetworkSize[] | undefined
  /** A network of such a size was put on the list. */
  readonly note: (name: string, size: NetworkSize) => void
  readonly isEmpty: () => boolean
  /** Nothing that is known is to be trusted. */
  readonly clear: () => void
}

interface NetworkSizesOptions {
  /** About how many bytes what is known may take. */
  readonly bytesMax: number
  /** The sizes as the read models have them once they have passed all that was noted before; undefined where they are behind. */
  readonly read: (name: string) => Promise<readonly NetworkSize[] | undefined>
  /** Does what nobody waits for. */
  readonly run: (work: () => Promise<void>) => void
  /** A clock that never goes back. */
  readonly nowMs: () => number
}

/** What a list takes beside its sizes, and each of them. */
const listBytes = 250
const sizeBytes = 110
/** Lists that are read at a time. */
const readingMax = 16
/** How long none is read after one that could not be. */
const restMs = 200

type Sizes = Map<string, NetworkSize>

/** None is known at first. */
export function openNetworkSizes({
  bytesMax,
  read,
  run,
  nowMs,
}: NetworkSizesOptions): NetworkSizes {
  const known = weighedCache<Sizes>(bytesMax)
  const know = (name: string, sizes: Sizes): void =>
    known.set(name, sizes, listBytes + sizes.size * sizeBytes)
  let isEmpty = true
  const reading = new Map<string, Sizes>()
  let restsUntilMs = Number.NEGATIVE_INFINITY

  const begin = async (name: string): Promise<void> => {
    // what is noted from now on is added to what is being read
    const sizes: Sizes = new Map()
    reading.set(name, sizes)
    isEmpty = false
    let found: readonly NetworkSize[] | undefined
    try {
      found = await read(name)
    } finally {
      // forgotten while it was read
      const isTrusted = reading.get(name) === sizes
      if (isTrusted) reading.delete(name)
      if (!found) restsUntilMs = nowMs() + restMs
      for (const size of found ?? []) add(sizes, size)
      if (found && isTrusted) know(name, sizes)
    }
  }

  return {
    get: (name) => {
      const sizes = known.get(name)
      if (sizes) return [...sizes.values()]
      const mayRead = !reading.has(name) && reading.size < readingMax && nowMs() >= restsUntilMs
      if (mayRead) run(() => begin(name))
      return undefined
    },
    note: (name, size) => {
      const sizes = known.get(name)
      if (sizes) {
        add(sizes, size)
        know(name, sizes)
      }
      const beingRead = reading.get(name)
      if (beingRead) add(beingRead, size)
    },
    isEmpty: () => isEmpty,
    clear: () => {
      known.clear()
      reading.clear()
      isEmpty = true
    },
  }
}

function add(sizes: Sizes, { version, prefix }: NetworkSize): void {
  sizes.set(`${version} ${prefix}`, { version, prefix })
}
