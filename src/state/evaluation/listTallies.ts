/** Lists what an event counts in, by keyed digests of its keys and values. */

import { unifyPhone } from '../../domain/evaluation/phone.ts'
import type { FindText } from '../../engine/language/counterKey.ts'
import type { CounterPart, CounterSeries } from '../../engine/language/counters.ts'
import { parseIntText } from '../../engine/language/values/numbers.ts'
import { computeLookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { Tally } from '../../events/recording/tallies.ts'
import { readKeyValues } from './counterKeys.ts'

type DigestKeyring = Pick<Keyring, 'subject'>

/** 48 bits: of 255 values two have one digest with a probability of 1 to 10^10. */
const valueChars = 8

/** What an event counts in, in clear: a series, the values of its key, and what is counted as in a `Tally`. */
export interface ClearTally {
  readonly series: CounterSeries
  readonly key: readonly string[]
  readonly counted: Tally[2]
}

/** An evaluation of the past with what it counts in. */
export interface TalliedEvaluation {
  /** Position in the log. */
  readonly at: number
  /** When it counts, and when it was recorded, in milliseconds since the Unix epoch. */
  readonly timeMs: number
  readonly recordedMs: number
  /** What it has on record. */
  readonly recorded: readonly Tally[]
  /** What its evidence says of the series that it has nothing on record of. */
  readonly found: readonly ClearTally[]
}

/** An entry for each of these series whose key arrived, and with it what is told apart or added up. */
export function listTallies(
  keyring: DigestKeyring,
  asked: {
    readonly account: string
    readonly series: readonly CounterSeries[]
    readonly findText: FindText
  },
): readonly Tally[] {
  const found = listClearTallies(asked.series, asked.findText)
  return digestTallies(keyring, asked.account, found)
}

/** The same in clear, for what is computed from recorded evidence. */
export function listClearTallies(
  series: readonly CounterSeries[],
  findText: FindText,
): readonly ClearTally[] {
  const findUnified = unifyNumbers(findText)
  return series.flatMap((one) => {
    const key = readKeyValues(one.by, findUnified)
    const counted = key && readCounted(one, findUnified)
    return key === undefined || counted === undefined ? [] : [{ series: one, key, counted }]
  })
}

export function digestTallies(
  keyring: DigestKeyring,
  account: string,
  tallies: readonly ClearTally[],
): readonly Tally[] {
  const digestKey = digestKeysOnce(keyring, account)
  return tallies.map(({ series: { id, by }, key, counted }): Tally => {
    if (typeof counted !== 'string') return [id, digestKey(by, key), counted]
    const digest = computeLookupDigest(keyring, account, { kind: 'counter_value', value: counted })
    return [id, digestKey(by, key), digest.slice(0, valueChars)]
  })
}

/** What the event adds: one, an integer, null for a text that is none, or a text to be told apart. */
function readCounted(
  { kind, measured }: CounterSeries,
  findText: FindText,
): string | number | null | undefined {
  if (kind === 'count' || measured === undefined) return 1
  const text = findText(measured)
  if (text === undefined || kind === 'distinct') return text
  return parseIntText(text) ?? null
}

/** The keyed digest of the key of a series, computed once for its windows; undefined where a part did not arrive. */
export function createCounterKeys(
  keyring: DigestKeyring,
  account: string,
  findText: FindText,
): (series: Pick<CounterSeries, 'id' | 'by'>) => string | undefined {
  const findUnified = unifyNumbers(findText)
  const digestKey = digestKeysOnce(keyring, account)
  const known = new Map<string, string | undefined>()
  return ({ id, by }) => {
    if (known.has(id)) return known.get(id)
    const values = readKeyValues(by, findUnified)
    const key = values && digestKey(by, values)
    known.set(id, key)
    return key
  }
}

/** Keyed digests of keys, each computed once: counters of one key are alike. */
function digestKeysOnce(keyring: DigestKeyring, account: string) {
  const known = new Map<string, string>()
  return (by: readonly CounterPart[], values: readonly string[]): string => {
    const value = JSON.stringify([by, values])
    const key =
      known.get(value) ?? computeLookupDigest(keyring, account, { kind: 'counter_key', value })
    known.set(value, key)
    return key
  }
}

/** A number that is written in two ways is one. */
function unifyNumbers(findText: FindText): FindText {
  return (name) => {
    const value = findText(name)
    return name === 'target.phone_number' && value !== undefined ? unifyPhone(value) : value
  }
}
