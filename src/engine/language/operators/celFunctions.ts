/** Defines the functions of CEL: strings, timestamps, durations, type conversions. */

import { type ValueType, valueTypes } from '../expression.ts'
import { compilePattern } from '../pattern/compilePattern.ts'
import { patternSize } from '../pattern/patternSize.ts'
import { asInt, boolOfText, doubleOfText, intOfDouble, intOfText } from '../values/numbers.ts'
import { lowerAscii, textSize, upperAscii } from '../values/text.ts'
import {
  durationOfText,
  durationText,
  durationTotals,
  timestampOfSeconds,
  timestampOfText,
  timestampParts,
  timestampText,
} from '../values/time.ts'
import type { Cell, Value } from '../values/value.ts'
import { type Operation, operation, type PreparedOperation } from './operation.ts'

const sameSize = { chars: (size: number) => size }

const texts: readonly Operation[] = [
  operation('size(string): int', textSize),
  ...valueTypes.map((type) =>
    operation(`size(list<${type}>): int`, (items: readonly Cell[]) => items.length, {
      id: 'size(list)',
    }),
  ),
  operation('contains(string, string): bool', (a: string, b: string) => a.includes(b)),
  operation('startsWith(string, string): bool', (a: string, b: string) => a.startsWith(b)),
  operation('endsWith(string, string): bool', (a: string, b: string) => a.endsWith(b)),
  operation('matches(string, string): bool', () => undefined, {
    fails: true,
    literalOnly: true,
    patternSize: (literal) => patternSize(literal as string),
    prepare: prepareMatches,
  }),
  operation('lowerAscii(string): string', lowerAscii, sameSize),
  operation('upperAscii(string): string', upperAscii, sameSize),
]

function prepareMatches(literal: Value): PreparedOperation | string {
  const pattern = compilePattern(literal as string)
  if (typeof pattern === 'string') return pattern
  const { test, stepsPerChar } = pattern
  return { apply: (text) => test(text as string), size: stepsPerChar }
}

const same = (value: Cell): Cell => value
const fromText = { fails: true }

/** The conversions of evidence that is text, by result type. */
export const parseTextByType: Readonly<
  Record<Exclude<ValueType, 'string'>, (text: string) => Cell | undefined>
> = Object.freeze({
  bool: boolOfText,
  int: intOfText,
  double: doubleOfText,
  timestamp: timestampOfText,
  duration: durationOfText,
})

const conversions: readonly Operation[] = [
  operation('int(int): int', same),
  operation('int(double): int', intOfDouble, { fails: true }),
  operation('int(string): int', intOfText, fromText),
  operation('int(timestamp): int', (ms: number) => asInt(Math.floor(ms / 1000))),
  operation('double(double): double', same),
  operation('double(int): double', same),
  operation('double(string): double', doubleOfText, fromText),
  operation('bool(bool): bool', same),
  operation('bool(string): bool', boolOfText, fromText),
  operation('string(string): string', same, sameSize),
  operation('string(int): string', String),
  operation('string(double): string', String),
  operation('string(bool): string', String),
  operation('string(timestamp): string', timestampText),
  operation('string(duration): string', durationText),
  operation('timestamp(timestamp): timestamp', same),
  operation('timestamp(string): timestamp', timestampOfText, fromText),
  operation('timestamp(int): timestamp', timestampOfSeconds, { fails: true }),
  operation('duration(duration): duration', same),
  operation('duration(string): duration', durationOfText, fromText),
]

/** The functions on timestamps and durations. */
export const timeFunctions: readonly Operation[] = [
  ...Object.entries(timestampParts).map(([name, part]) =>
    operation(`${name}(timestamp): int`, part),
  ),
  ...Object.entries(durationTotals).map(([name, total]) =>
    operation(`${name}(duration): int`, total),
  ),
]

/** Every function of CEL that rules can call. */
export const celFunctions: readonly Operation[] = [...texts, ...conversions, ...timeFunctions]
