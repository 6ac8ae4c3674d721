/** Defines functions on texts (`size`, `contains`, `matches`, …), timestamps and durations. */

import { compilePattern } from '../pattern/compilePattern.ts'
import { patternSize } from '../pattern/patternSize.ts'
import { lowerAscii, textSize, upperAscii } from '../values/text.ts'
import { durationTotals, timestampParts } from '../values/time.ts'
import type { Cell, Value } from '../values/value.ts'
import { type Operation, operation, type Prepared } from './operation.ts'

export const times: readonly Operation[] = [
  ...Object.entries(timestampParts).map(([name, part]) =>
    operation(`${name}(timestamp): int`, part),
  ),
  ...Object.entries(durationTotals).map(([name, total]) =>
    operation(`${name}(duration): int`, total),
  ),
]

const types = ['bool', 'int', 'double', 'string', 'timestamp', 'duration']
const same = { chars: (size: number) => size }

export const texts: readonly Operation[] = [
  operation('size(string): int', textSize),
  ...types.map((type) =>
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
  operation('lowerAscii(string): string', lowerAscii, same),
  operation('upperAscii(string): string', upperAscii, same),
]

function prepareMatches(literal: Value): Prepared | string {
  const pattern = compilePattern(literal as string)
  if (typeof pattern === 'string') return pattern
  const { test, stepsPerChar } = pattern
  return { apply: (text) => test(text as string), size: stepsPerChar }
}
