/** Options that may be given several times. */

import { InvalidArgumentError } from 'commander'
import { nearest } from '../../domain/nearest.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'

/** Collects `--scope a --scope b,c`, each of them one of the words. */
export function collectWords<Word extends string>(words: readonly Word[]) {
  return (given: string, before: readonly Word[] = []): readonly Word[] => {
    const found = given.split(',').map((text) => {
      const word = words.find((known) => known === text.trim())
      if (word === undefined) throw unknownWord(text.trim(), words)
      return word
    })
    return [...new Set([...before, ...found])]
  }
}

function unknownWord(given: string, words: readonly string[]): InvalidArgumentError {
  const meant = nearest(given, words)
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
  return new InvalidArgumentError(`Must be of: ${words.join(', ')}.${guess}`)
}

export type Pairs = Readonly<Record<string, string>>

/** Collects `--ext a=b --ext c=d`. */
export function collectPairs(given: string, before: Pairs = {}): Pairs {
  const [name, value] = pairOf(given)
  return { ...before, [name]: value }
}

export type Pair = readonly [name: string, value: string]

/** Collects `--id a=b --id a=c`: every one of them, also of one name. */
export function collectEveryPair(given: string, before: readonly Pair[] = []): readonly Pair[] {
  return [...before, pairOf(given)]
}

function pairOf(given: string): Pair {
  const at = given.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Must be name=value.')
  return [given.slice(0, at), given.slice(at + 1)]
}

/** `on` or `off`. */
export function onOrOff(given: string): boolean {
  if (given === 'on') return true
  if (given === 'off') return false
  throw new InvalidArgumentError('Must be on or off.')
}

/** A whole number of these bounds. */
export function wholeNumber(min: number, max: number) {
  return (given: string): number => {
    const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`)
  }
}

/** A time in ISO 8601 with a zone, as it was written. */
export function isoTime(given: string): string {
  if (isoTimeMs(given) !== undefined) return given
  throw new InvalidArgumentError('Must be a time with a zone, as in 2026-11-21T07:30:00Z.')
}
