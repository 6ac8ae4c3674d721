/** Caches the values of one list as 64 bits of each digest, and the sizes of its networks. */

import type { NetworkSize } from '../../events/lists/listEntry.ts'

/** The digest of a value, for a network with its size. */
export interface CachedValue {
  /** Its first 64 bits, in 11 characters of base64url, or all of it. */
  readonly subject: string
  readonly network?: NetworkSize | undefined
}

export type CachedList = ReturnType<typeof createCachedList>

/** The part of the cells that may be used. */
const fillMax = 3 / 4
const cellsAtFirst = 16

// reused memory: one query computes hundreds of keys
const keyCell = new BigUint64Array(1)
const keyBytes = Buffer.from(keyCell.buffer)

/** The first 64 bits of a digest in base64url; zero, which marks a free cell, is stored as its neighbour. */
function readKey(digest: string): bigint {
  if (keyBytes.write(digest, 'base64url') < keyBytes.length) throw new Error('not a digest')
  return keyCell[0] || 1n
}

/**
 * An empty list. Its keys are in cells of 64 bits, whose count is a power of two, each in the first free cell from its
 * own on: a million take a third of what a `Set` would.
 */
export function createCachedList() {
  let cells = new BigUint64Array(cellsAtFirst)
  let size = 0
  const networks = new Map<string, NetworkSize & { readonly count: number }>()

  const next = (cell: number): number => (cell + 1) & (cells.length - 1)
  /** The cell with the key, or the free one where it belongs. */
  const cellOf = (key: bigint): number => {
    let cell = Number(BigInt.asUintN(32, key)) & (cells.length - 1)
    while (cells[cell] !== 0n && cells[cell] !== key) cell = next(cell)
    return cell
  }
  const grow = (): void => {
    const full = cells
    cells = new BigUint64Array(2 * full.length)
    for (const key of full) if (key !== 0n) cells[cellOf(key)] = key
  }
  const count = (by: 1 | -1, network: NetworkSize | undefined): void => {
    size += by
    if (!network) return
    const name = `${network.version} ${network.prefix}`
    const sum = (networks.get(name)?.count ?? 0) + by
    if (sum > 0) networks.set(name, { ...network, count: sum })
    else networks.delete(name)
  }

  return {
    has: (subject: string): boolean => cells[cellOf(readKey(subject))] !== 0n,
    add: ({ subject, network }: CachedValue): void => {
      const key = readKey(subject)
      if (cells[cellOf(key)] === key) return
      if (size + 1 > cells.length * fillMax) grow()
      cells[cellOf(key)] = key
      count(1, network)
    },
    delete: ({ subject, network }: CachedValue): void => {
      let cell = cellOf(readKey(subject))
      if (cells[cell] === 0n) return
      cells[cell] = 0n
      count(-1, network)
      // the keys behind it are put where they are found now
      for (cell = next(cell); cells[cell]; cell = next(cell)) {
        const moved = cells[cell] ?? 0n
        cells[cell] = 0n
        cells[cellOf(moved)] = moved
      }
    },
    size: (): number => size,
    bytes: (): number => cells.byteLength,
    /** The sizes of the networks on the list, each once. */
    networks: (): readonly NetworkSize[] => [...networks.values()],
  }
}
