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

/** The whole numbers around each, and the ends of the ints, which lie beyond what else is written. */
function intSamples(written: readonly number[]): readonly number[] {
  const around = written
    .filter(Number.isFinite)
    .flatMap((number) => [Math.floor(number), Math.ceil(number)])
  return unique([
    Number.MIN_SAFE_INTEGER,
    ...around.flatMap((number) => [number - 1, number, number + 1]),
    Number.MAX_SAFE_INTEGER,
  ])
}

function numberSamples(written: readonly number[]): readonly number[] {
  // what is no number compares with nothing, so that any value stands for how others compare with it
  const sorted = unique(written)
    .filter((number) => !Number.isNaN(number))
    .toSorted((a, b) => a - b)
  // the one sum leaves the doubles where both are huge, the other loses what both are made of where they are tiny
  const between = sorted.slice(1).flatMap((number, index) => {
    const before = sorted[index] ?? number
    return [(before + number) / 2, before / 2 + number / 2]
  })
  const ends = [Number.MAX_VALUE, Number.POSITIVE_INFINITY]
  return unique([...ends.map((end) => -end), ...sorted, ...between, ...ends])
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)]
}
