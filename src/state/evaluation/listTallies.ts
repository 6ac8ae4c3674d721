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

/** An entry for each of these series whose key arrived, and with it what is told apart or added up. */
export function listTallies(
  keyring: DigestKeyring,
  asked: {
    readonly account: string
    readonly series: readonly CounterSeries[]
    readonly findText: FindText
  },
): readonly Tally[] {
  const { account, series } = asked
  if (series.length === 0) return []
  const findText = unifyNumbers(asked.findText)
  const keys = openCounterKeys(keyring, account, findText)
  return series.flatMap((one): Tally[] => {
    const key = keys(one.by)
    const counted = key === undefined ? undefined : readCounted(one, findText)
    if (key === undefined || counted === undefined) return []
    if (typeof counted !== 'string') return [[one.id, key, counted]]
    const digest = computeLookupDigest(keyring, account, { kind: 'counter_value', value: counted })
    return [[one.id, key, digest.slice(0, valueChars)]]
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

/** Keyed digests of keys, each computed once; undefined where a part did not arrive. */
export function openCounterKeys(
  keyring: DigestKeyring,
  account: string,
  findText: FindText,
): (by: readonly CounterPart[]) => string | undefined {
  const known = new Map<string, string>()
  return (by) => {
    const values = readKeyValues(by, findText)
    if (!values) return undefined
    const value = JSON.stringify([by, values])
    const key =
      known.get(value) ?? computeLookupDigest(keyring, account, { kind: 'counter_key', value })
    known.set(value, key)
    return key
  }
}

/** A number that is written in two ways is one. */
export function unifyNumbers(findText: FindText): FindText {
  return (name) => {
    const value = findText(name)
    return name === 'target.phone_number' && value !== undefined ? unifyPhone(value) : value
  }
}
