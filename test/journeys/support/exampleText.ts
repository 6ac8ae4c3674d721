/** What was recorded, without what is another every time: ids, tokens, hashes, positions, cursors. */

import { createHash } from 'node:crypto'
import { idPrefixes, newId } from '../../../src/domain/ids.ts'

const startMs = Date.UTC(2026, 10, 21, 9)
const eventId = '52eae266-9977-5779-acd2-17b9d2ea3534'
/** Of a list that is longer than a reader wants. */
const longList = 8
const entriesShown = 3

const places: Readonly<Record<string, unknown>> = {
  position: 1_042,
  as_of: 1_041,
  lag_seconds: 0,
  next_after: '1042',
  command_id: '01a1fd73-e790-7dc2-b84b-0aa94bdce146',
  next_cursor: 'WyIyMDI2LTExLTIxIl0',
  digest: 'l4gnbbTeHNyYvLzvpq6yVhc9cbqkWQk0s2QmYbXn1Ho',
  token: 'vgl_<account>_<token>_<secret>',
  refresh_token: 'vgr_<session>_<secret>_<tag>',
  access_token: '<header>.<claims>.<signature>',
  sdk_key: 'vgp_<account>_<key>',
  kid: 'b1ZlcnkgbXVjaCBhIGRpZw',
  public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}

/**
 * A function that makes recorded values comparable: the same id becomes the same id, in the order in which they are
 * first seen, and long lists are cut to their first entries.
 */
export function exampleValues(): (value: unknown) => unknown {
  const ids = new Map<string, string>()
  const hashes = new Map<string, string>()
  const knownId = (id: string): string => kept(ids, id, (index) => exampleId(id.slice(0, 3), index))
  const knownHash = (hash: string): string =>
    kept(hashes, hash, (index) => createHash('sha256').update(String(index)).digest('hex'))

  return (value) =>
    JSON.parse(
      JSON.stringify(value, (key, part: unknown) => {
        if (key in places && !isForeign(key, part))
          return typeof part === 'string' ? String(places[key]) : places[key]
        return Array.isArray(part) && part.length > longList ? part.slice(0, entriesShown) : part
      })
        .replaceAll(idPattern, knownId)
        .replaceAll(/\b[0-9a-f]{64}\b/g, knownHash)
        .replaceAll(/(?<="id":")[0-9a-f-]{36}(?=")/g, eventId),
    )
}

/** Tokens of another system are no secrets of ours, and the same every time. */
function isForeign(key: string, part: unknown): boolean {
  return key === 'token' && String(part).startsWith('legacy')
}

const idPattern = new RegExp(
  `\\b(?:${Object.values(idPrefixes).join('|')})_[0-7][0-9a-z]{25}\\b`,
  'g',
)

function kept(known: Map<string, string>, given: string, make: (index: number) => string): string {
  const example = known.get(given) ?? make(known.size)
  known.set(given, example)
  return example
}

function exampleId(prefix: string, index: number): string {
  const known = Object.values(idPrefixes).find((one) => one === prefix) ?? idPrefixes.request
  const bytes = createHash('sha256').update(`${prefix}${index}`).digest()
  return newId(
    known,
    { nowMs: () => startMs + index * 1_000 },
    { bytes: (count) => bytes.subarray(0, count) },
  )
}
