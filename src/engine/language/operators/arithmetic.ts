/** Sums, products and their kind: ints stay exact or fail, doubles follow IEEE 754, times stay within their ranges. */

import { asInt, divideInts, remainder } from '../values/numbers.ts'
import { asDuration, asTimestamp } from '../values/time.ts'
import { type Operation, operation } from './operation.ts'

const fails = { fails: true }

export const arithmetic: readonly Operation[] = [
  operation('+(int, int): int', (a: number, b: number) => asInt(a + b), fails),
  operation('-(int, int): int', (a: number, b: number) => asInt(a - b), fails),
  operation('*(int, int): int', (a: number, b: number) => asInt(a * b), fails),
  operation('/(int, int): int', divideInts, fails),
  operation('%(int, int): int', remainder, fails),
  operation('-(int): int', (a: number) => 0 - a),
  operation('+(double, double): double', (a: number, b: number) => a + b),
  operation('-(double, double): double', (a: number, b: number) => a - b),
  operation('*(double, double): double', (a: number, b: number) => a * b),
  operation('/(double, double): double', (a: number, b: number) => a / b),
  operation('-(double): double', (a: number) => -a),
  operation('+(string, string): string', (a: string, b: string) => a + b, {
    chars: (a, b) => a + b,
  }),
  operation(
    '+(timestamp, duration): timestamp',
    (a: number, b: number) => asTimestamp(a + b),
    fails,
  ),
  operation(
    '+(duration, timestamp): timestamp',
    (a: number, b: number) => asTimestamp(a + b),
    fails,
  ),
  operation('+(duration, duration): duration', (a: number, b: number) => asDuration(a + b), fails),
  operation(
    '-(timestamp, timestamp): duration',
    (a: number, b: number) => asDuration(a - b),
    fails,
  ),
  operation(
    '-(timestamp, duration): timestamp',
    (a: number, b: number) => asTimestamp(a - b),
    fails,
  ),
  operation('-(duration, duration): duration', (a: number, b: number) => asDuration(a - b), fails),
]
