/** Arguments that make the operations of the language work hardest, short and as long as evidence can be. */

import type { Type } from '../src/engine/language/values/value.ts'

type Cell = string | number | boolean

/** The values of the arguments of a call, one pair after the other: nothing is learned of a value that changes. */
export interface Sample {
  readonly first: readonly Cell[]
  readonly second: readonly Cell[]
}

const varied = 32
/** As long as one value of the evidence can be (`limits.evidenceChars`). */
const longest = 8192

/** Samples for a row with these parameters; a list stands for its items. */
export function samplesOf(name: string, [first = 'int', second]: readonly Type[]): Sample[] {
  const firsts = ringsOf(first)
  if (second === undefined) return firsts.map((ring) => ({ first: ring, second: [0] }))
  if (first === 'string') return textPairs(name)
  return firsts.flatMap((a) => ringsOf(second).map((b) => ({ first: a, second: b })))
}

function ringsOf(type: Type): readonly (readonly Cell[])[] {
  const kind = type.startsWith('list<') ? type.slice(5, -1) : type
  return rings[kind] ?? []
}

function ring(of: (at: number) => Cell): readonly Cell[] {
  return Array.from({ length: varied }, (_, at) => of(at))
}

/** The text again as one of its own, as it comes from a request. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

function long(part: string, length = longest): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length)
}

const texts: readonly string[] = [
  'a',
  '+33612345678',
  '7.25',
  '123456789012345678901',
  '3.1415926535897932e-3',
  '2024-05-31T12:00:00.123456789+01:00',
  '1h',
  '1h'.repeat(32),
  '.1h'.repeat(21),
  `${'9.'.padEnd(63, '9')}h`,
  'true',
  'jane@mail.example.com',
  `${long('a', 60)}@${'abc-d.'.repeat(41)}com`,
  `${long('a', 60)}@${'A'.repeat(240)}`,
  `é${long('aB', 64)}`,
  ...['a', '9', 'aB', 'é', 'éA', '\u{1f600}'].map((part) => long(part)),
  `0.${long('1', longest - 2)}`,
  `0.${long('1', longest - 8)}e-300`,
  `${long('0', longest - 1)}9`,
]

const rings: Readonly<Record<string, readonly (readonly Cell[])[]>> = {
  bool: [ring((at) => at % 2 === 0)],
  int: [ring((at) => at), ring((at) => 9_007_199_254_740_991 - at * 7)],
  double: [
    ring((at) => at + 0.5),
    ring((at) => (at + 1) / 3),
    ring((at) => 5e-324 * (at + 1)),
    ring((at) => 1.797e308 / (at + 1)),
  ],
  timestamp: [
    ring((at) => 1_717_193_730_123 + at),
    ring((at) => -62_135_596_800_000 + at * 86_400_000),
  ],
  duration: [ring((at) => at), ring((at) => 315_576_000_000_000 - at)],
  string: texts.map((text) => ring(() => copied(text))),
}

function textPairs(name: string): Sample[] {
  const pairs = [
    ...texts.map((text) => [text, text] as const),
    ...texts.map((text) => [text, `${text.slice(0, -1)}~`] as const),
    ...(name === 'contains' ? sought : []),
  ]
  return pairs.map(([a, b]) => ({ first: ring(() => copied(a)), second: ring(() => copied(b)) }))
}

const sought = [
  [long('a'), 'aaaab'],
  [long('a'), 'baaaa'],
  [long('ab'), 'abababb'],
  [long('a'), `b${long('a', 30)}`],
  [long('a'), `${long('a', 30)}b`],
  [long('a'), `${long('a', 500)}b${long('a', 500)}`],
  [long('é'), `${long('é', 30)}b`],
  [long('€'), `${long('€', 5)}b`],
] as const
