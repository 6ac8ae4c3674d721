/** Counts distinct pairs of a group and a target in a compact table of 64-bit hashes. */

/** Slots of a table at the most, 16 MiB, and the pairs that it remembers. */
const slotsMax = 2 ** 21
export const pairsMax = 1_500_000
const slotsAtFirst = 2 ** 12
/** Of the slots, what may be taken before there are twice as many. */
const fill = 0.72

/** In a full table two pairs are taken for one with a probability of one in a million. */
export interface PairTable {
  /** Two words a slot; both are 0 where it is free. */
  words: Uint32Array
  size: number
}

export function createPairTable(): PairTable {
  return { words: new Uint32Array(2 * slotsAtFirst), size: 0 }
}

/** A 64-bit hash as two words. */
export type Hash = readonly [number, number]

/** Hashes a keyed digest: whoever sends requests cannot choose it. */
export function hashTarget(digest: string): Hash {
  let one = 0xdeadbeef
  let other = 0x41c6ce57
  for (let at = 0; at < digest.length; at += 1) {
    const code = digest.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x5f356495)
  }
  return [one, other]
}

/** Adds a target to a group: `new`, `known`, or `full` when it is new and the table has no more room. */
export function addPair(table: PairTable, group: number, [a, b]: Hash): 'new' | 'known' | 'full' {
  const one = mix(a ^ Math.imul(group, 0x85ebca77))
  const other = mix(b + Math.imul(group, 0xc2b2ae3d)) || 1
  const slot = findSlot(table.words, one, other)
  if (table.words[slot + 1] !== 0) return 'known'
  if (table.size >= pairsMax) return 'full'
  table.words[slot] = one
  table.words[slot + 1] = other
  table.size += 1
  const slots = table.words.length / 2
  if (table.size > slots * fill && slots < slotsMax) table.words = copyTwiceAsLong(table.words)
  return 'new'
}

/** The slot of this pair, or the free one where it belongs. */
function findSlot(words: Uint32Array, one: number, other: number): number {
  const mask = words.length - 1
  let slot = (one << 1) & mask
  while (words[slot + 1] !== 0 && (words[slot] !== one || words[slot + 1] !== other)) {
    slot = (slot + 2) & mask
  }
  return slot
}

function copyTwiceAsLong(words: Uint32Array): Uint32Array {
  const longer = new Uint32Array(2 * words.length)
  for (let at = 0; at < words.length; at += 2) {
    const [one = 0, other = 0] = [words[at], words[at + 1]]
    if (other === 0) continue
    const slot = findSlot(longer, one, other)
    longer[slot] = one
    longer[slot + 1] = other
  }
  return longer
}

/** The last step of MurmurHash3: every bit of the word changes half of the others. */
function mix(word: number): number {
  let mixed = word
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
