/** What texts can be asked. */

import { compilePattern } from '../pattern/compilePattern.ts'
import { patternSize } from '../pattern/patternSize.ts'
import { lowerAscii, textSize, upperAscii } from '../values/text.ts'
import type { Cell, Value } from '../values/value.ts'
import { type Operation, operation, type Prepared, textSteps } from './operation.ts'

const types = ['bool', 'int', 'double', 'string', 'timestamp', 'duration']
const same = { steps: textSteps, chars: (size: number) => size }

export const texts: readonly Operation[] = [
  operation('size(string): int', textSize, { steps: (size) => 1 + size / 4 }),
  ...types.map((type) =>
    operation(`size(list<${type}>): int`, (items: readonly Cell[]) => items.length, {
      id: 'size(list)',
    }),
  ),
  operation('contains(string, string): bool', (a: string, b: string) => a.includes(b), {
    // at worst every character of the text is compared with many of what is sought
    steps: (size, sought) => 1 + 1.5 * size + (size * sought) / 32,
  }),
  operation('startsWith(string, string): bool', (a: string, b: string) => a.startsWith(b), {
    steps: (_, sought) => textSteps(sought),
  }),
  operation('endsWith(string, string): bool', (a: string, b: string) => a.endsWith(b), {
    steps: (_, sought) => textSteps(sought),
  }),
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
  return { apply: (text) => test(text as string), steps: (size) => 1 + size * stepsPerChar }
}
