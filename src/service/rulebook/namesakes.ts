/** Things of one kind that are called alike: authors tell them apart by their names. */

import type { Warning } from '../../domain/warning.ts'

/** Others that a name is compared with, the first ones made: an account may have half a million rules, and others wait meanwhile. */
const othersMax = 20_000

/** Everything of a kind, with its name. */
export interface Named {
  readonly ids: () => Iterable<string>
  /** Undefined for what is not there, or has no name. */
  readonly nameOf: (id: string) => string | undefined
}

/** Answers the id of another that is called the same. */
export type NamesakeOf = (id: string, name: string) => string | undefined

/** Looks through them; for one question. */
export function namesakeIn({ ids, nameOf }: Named): NamesakeOf {
  return (id, name) => {
    let left = othersMax
    for (const other of ids()) {
      if (other !== id && nameOf(other) === name) return other
      left -= 1
      if (left === 0) return undefined
    }
    return undefined
  }
}

/** Looks through them once, for as many questions; what `changed` says of some of them goes before. */
export function indexedNamesakes(
  { ids, nameOf }: Named,
  changed: ReadonlyMap<string, string | undefined>,
): NamesakeOf {
  const byName = new Map<string, string[]>()
  const note = (id: string, name: string | undefined): void => {
    if (name === undefined) return
    const alike = byName.get(name) ?? []
    // of many two are enough to find another
    if (alike.length < 2) byName.set(name, [...alike, id])
  }
  for (const [id, name] of changed) note(id, name)
  let left = othersMax
  for (const id of ids()) {
    if (left === 0) break
    left -= 1
    if (!changed.has(id)) note(id, nameOf(id))
  }
  return (id, name) => byName.get(name)?.find((other) => other !== id)
}

/** Of something that is called like another; `isNew` for another that the same request makes, whose id says nothing to anybody. */
export function nameWarnings(
  noun: string,
  namesake: string | undefined,
  isNew = false,
): readonly Warning[] {
  if (namesake === undefined) return []
  const message = isNew
    ? `Another ${noun} of the request has this name.`
    : `Another ${noun} has this name: ${namesake}.`
  return [{ code: 'duplicate_name', path: 'name', message }]
}
