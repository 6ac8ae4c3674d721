/** Defines conversions between types (`int(…)`, `timestamp(…)`), which fail on unreadable texts. */

import type { ValueType } from '../expression.ts'
import { asInt, boolOfText, doubleOfText, intOfDouble, intOfText } from '../values/numbers.ts'
import {
  durationOfText,
  durationText,
  timestampOfSeconds,
  timestampOfText,
  timestampText,
} from '../values/time.ts'
import type { Cell } from '../values/value.ts'
import { type Operation, operation } from './operation.ts'

const same = (value: Cell): Cell => value
const fromText = { fails: true }

/** Converts a name of type string that is the argument of a conversion. */
export const ofText: Readonly<
  Record<Exclude<ValueType, 'string'>, (text: string) => Cell | undefined>
> = Object.freeze({
  bool: boolOfText,
  int: intOfText,
  double: doubleOfText,
  timestamp: timestampOfText,
  duration: durationOfText,
})

export const conversion: readonly Operation[] = [
  operation('int(int): int', same),
  operation('int(double): int', intOfDouble, { fails: true }),
  operation('int(string): int', intOfText, fromText),
  operation('int(timestamp): int', (ms: number) => asInt(Math.floor(ms / 1000))),
  operation('double(double): double', same),
  operation('double(int): double', same),
  operation('double(string): double', doubleOfText, fromText),
  operation('bool(bool): bool', same),
  operation('bool(string): bool', boolOfText, fromText),
  operation('string(string): string', same, { chars: (size) => size }),
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
