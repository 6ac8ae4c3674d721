/** What the states of all patterns of the process hold together: bounded, whatever the number of patterns that run. */

/** Bytes, by estimate. */
export const statesBytesMax = 32 * 1024 * 1024

let held = 0
const holders = new Set<() => void>()

/**
 * Counts bytes that a pattern is about to hold in states. When that is more than all may hold together, every pattern forgets its
 * states, by the `forget` that it gave; they are made again where they are needed.
 */
export function holdStates(bytes: number, forget: () => void): void {
  if (held + bytes > statesBytesMax) {
    for (const each of holders) each()
    holders.clear()
    held = 0
  }
  held += bytes
  holders.add(forget)
}

/** Counts bytes that a pattern does not hold any more: all that it has. */
export function letGoOfStates(bytes: number, forget: () => void): void {
  held -= bytes
  holders.delete(forget)
}

/** Bytes held now. */
export function heldStatesBytes(): number {
  return held
}
