/** Which parts a run measures. */

import type { Size } from './benchmark.ts'

/** The parts there are, each with the names of its pieces; none for one that is measured whole. */
export type Parts = Readonly<Record<string, readonly string[]>>

export interface Chosen {
  readonly part: string
  /** Absent: all of it. */
  readonly pieces?: readonly string[]
}

/**
 * The parts named by `--only`, or all; a piece of one is named `part:piece`. Each once. Throws for a name that there is
 * not.
 */
export function chosenParts(only: string | undefined, parts: Parts): readonly Chosen[] {
  if (only === undefined) return Object.keys(parts).map((part) => ({ part }))
  const chosen = new Map<string, Set<string> | 'whole'>()
  for (const name of only.split(',').map((text) => text.trim())) {
    const [part = '', piece] = splitName(name)
    assertKnown({ name, part, piece }, parts)
    const before = chosen.get(part)
    if (piece === undefined || before === 'whole') chosen.set(part, 'whole')
    else chosen.set(part, new Set([...(before ?? []), piece]))
  }
  return [...chosen].map(([part, pieces]) =>
    pieces === 'whole' ? { part } : { part, pieces: [...pieces] },
  )
}

function splitName(name: string): readonly string[] {
  const at = name.indexOf(':')
  return at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)]
}

function assertKnown(
  {
    name,
    part,
    piece,
  }: { readonly name: string; readonly part: string; readonly piece?: string | undefined },
  parts: Parts,
): void {
  const pieces = Object.hasOwn(parts, part) ? parts[part] : undefined
  if (pieces && (piece === undefined || pieces.includes(piece))) return
  const known =
    pieces && pieces.length > 0 ? pieces.map((one) => `${part}:${one}`) : Object.keys(parts)
  throw new Error(`there is no benchmark ${name}; there are ${known.join(', ')}`)
}

/**
 * Whether what is measured is kept: a part measured in a hurry would stand among figures of full runs, and a piece in
 * the place of its whole part.
 */
export function isKept({
  size,
  only,
}: {
  readonly size: Size
  readonly only?: string | undefined
}): boolean {
  return size === 'full' && !only?.includes(':')
}
