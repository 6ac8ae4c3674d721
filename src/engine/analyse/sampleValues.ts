/** Values that stand for all values of a type, as far as comparing them with some written ones can tell. */

import type { ValueType } from '../language/expression.ts'
import type { Cell } from '../language/values/value.ts'

/** Each of the written values, and at least one between, before and after them wherever there is one. */
export function sampleValues(type: ValueType, written: readonly Cell[]): readonly Cell[] {
  switch (type) {
    case 'bool':
      return [true, false]
    case 'string':
      return textSamples(written as readonly string[])
    case 'int':
      return intSamples(written as readonly number[])
    default:
      return numberSamples(written as readonly number[])
  }
}

/** Directly behind a text in the order of texts stands the same with the least character behind it. */
function textSamples(written: readonly string[]): readonly string[] {
  return unique(['', ...written.flatMap((text) => [text, `${text}\0`])])
}

function intSamples(written: readonly number[]): readonly number[] {
  return unique(
    written.flatMap((number) => [
      Math.floor(number) - 1,
      Math.floor(number),
      Math.ceil(number),
      Math.ceil(number) + 1,
    ]),
  )
}

/** Of doubles also what is no number, since no comparison holds of it. */
function numberSamples(written: readonly number[]): readonly number[] {
  const sorted = unique(written).toSorted((a, b) => a - b)
  // the one sum leaves the doubles where both are huge, the other loses what both are made of where they are tiny
  const between = sorted.slice(1).flatMap((number, index) => {
    const before = sorted[index] ?? number
    return [(before + number) / 2, before / 2 + number / 2]
  })
  return unique([Number.NEGATIVE_INFINITY, ...sorted, ...between, Number.POSITIVE_INFINITY])
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)]
}
