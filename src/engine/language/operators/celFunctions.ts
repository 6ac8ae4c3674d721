/** Defines the functions of CEL: strings, timestamps, durations, type conversions. */

import { type ValueType, valueTypes } from '../expression.ts'
import { compilePattern } from '../pattern/compilePattern.ts'
import { measurePattern } from '../pattern/patternSize.ts'
import {
  asInt,
  parseBoolText,
  parseDoubleText,
  parseIntText,
  truncateToInt,
} from '../values/numbers.ts'
import { lowerAscii, textSize, upperAscii } from '../values/text.ts'
import {
  durationTotals,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampParts,
  toTimestamp,
} from '../values/time.ts'
import type { ScalarValue, Value } from '../values/value.ts'
import { defineOperation, type Operation, type PreparedOperation } from './operation.ts'

const sameSize = { chars: (size: number) => size }

const texts: readonly Operation[] = [
  defineOperation('size(string): int', textSize),
  ...valueTypes.map((type) =>
    defineOperation(`size(list<${type}>): int`, (items: readonly ScalarValue[]) => items.length, {
      id: 'size(list)',
    }),
  ),
  defineOperation('contains(string, string): bool', (a: string, b: string) => a.includes(b)),
  defineOperation('startsWith(string, string): bool', (a: string, b: string) => a.startsWith(b)),
  defineOperation('endsWith(string, string): bool', (a: string, b: string) => a.endsWith(b)),
  defineOperation('matches(string, string): bool', () => undefined, {
    canFail: true,
    needsLiteral: true,
    patternSize: (literal) => measurePattern(literal as string),
    prepare: prepareMatches,
  }),
  defineOperation('lowerAscii(string): string', lowerAscii, sameSize),
  defineOperation('upperAscii(string): string', upperAscii, sameSize),
]

function prepareMatches(literal: Value): PreparedOperation | string {
  const pattern = compilePattern(literal as string)
  if (typeof pattern === 'string') return pattern
  const { test, stepsPerChar } = pattern
  return { apply: (text) => test(text as string), size: stepsPerChar }
}

const same = (value: ScalarValue): ScalarValue => value
const fromText = { canFail: true }

/** The conversions of evidence that is text, by result type. */
export const parseTextByType: Readonly<
  Record<Exclude<ValueType, 'string'>, (text: string) => ScalarValue | undefined>
> = Object.freeze({
  bool: parseBoolText,
  int: parseIntText,
  double: parseDoubleText,
  timestamp: parseTimestamp,
  duration: parseDuration,
})

const conversions: readonly Operation[] = [
  defineOperation('int(int): int', same),
  defineOperation('int(double): int', truncateToInt, { canFail: true }),
  defineOperation('int(string): int', parseIntText, fromText),
  defineOperation('int(timestamp): int', (ms: number) => asInt(Math.floor(ms / 1000))),
  defineOperation('double(double): double', same),
  defineOperation('double(int): double', same),
  defineOperation('double(string): double', parseDoubleText, fromText),
  defineOperation('bool(bool): bool', same),
  defineOperation('bool(string): bool', parseBoolText, fromText),
  defineOperation('string(string): string', same, sameSize),
  defineOperation('string(int): string', String),
  defineOperation('string(double): string', String),
  defineOperation('string(bool): string', String),
  defineOperation('string(timestamp): string', formatTimestamp),
  defineOperation('string(duration): string', formatDuration),
  defineOperation('timestamp(timestamp): timestamp', same),
  defineOperation('timestamp(string): timestamp', parseTimestamp, fromText),
  defineOperation('timestamp(int): timestamp', toTimestamp, { canFail: true }),
  defineOperation('duration(duration): duration', same),
  defineOperation('duration(string): duration', parseDuration, fromText),
]

export const timeFunctions: readonly Operation[] = [
  ...Object.entries(timestampParts).map(([name, part]) =>
    defineOperation(`${name}(timestamp): int`, part),
  ),
  ...Object.entries(durationTotals).map(([name, total]) =>
    defineOperation(`${name}(duration): int`, total),
  ),
]

/** Every function of CEL that rules can call. */
export const celFunctions: readonly Operation[] = [...texts, ...conversions, ...timeFunctions]
