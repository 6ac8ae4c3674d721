/** The engine: sixty rules over fifteen signals, all evidence present, full result object. */

import { isDeepStrictEqual } from 'node:util'
import type { RecipeResult } from '../src/engine/run/result.ts'
import type { Benchmark } from './benchmark.ts'
import { compilePlan } from './built.ts'
import type { Condition } from './conditions.ts'
import { type Figure, figureOf } from './figure.ts'
import { handWritten } from './handWritten.ts'
import { type OtherEngine, otherEngines } from './otherEngines.ts'
import { people } from './people.ts'
import { evidenceOf, planOf } from './plan.ts'
import { type Subject, sideBySide } from './sideBySide.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const name = 'engine: 60 rules over 15 signals, all evidence present, full result object'
/** People evaluated in turn, so that nothing is learned of one of them. */
const peopleCount = 256
const longer = 10

const everybody = people(peopleCount)
const evidence = everybody.map(evidenceOf)
const plan = planOf(sixtyRules)
const vigil = compilePlan(plan)

/** Measures it against hand-written code, against other engines, and against itself with ten times the rules. */
export const engine: Benchmark = async ({ size }) => {
  const rounds = { full: 25, quick: 9, smallest: 1 }[size]
  return [
    ...(await againstHand({ rounds, roundMs: { full: 200, quick: 60, smallest: 5 }[size] })),
    ...(await againstOthers({
      rounds: { full: 15, quick: 5, smallest: 1 }[size],
      roundMs: { full: 300, quick: 80, smallest: 5 }[size],
    })),
    ...(await againstMoreRules({ rounds, roundMs: { full: 200, quick: 60, smallest: 5 }[size] })),
  ]
}

type Rounds = Parameters<typeof sideBySide>[1]

async function againstHand(rounds: Rounds): Promise<readonly Figure[]> {
  const byHand = handWritten(sixtyRules, plan)
  for (const one of evidence) {
    const { runs: _, ...result } = vigil.run(one)
    assertSame('hand-written JavaScript', byHand(one), result)
  }
  const ns = await sideBySide(
    { vigil: inTurn(evidence, vigil.run), byHand: inTurn(evidence, byHand) },
    rounds,
  )
  return [
    figureOf(
      {
        name,
        against: 'the same rules as hand-written JavaScript in one generated function',
        unit: 'times its time',
        target: { bound: 'at most', value: 4 },
      },
      ratios(ns.vigil, ns.byHand),
      [`Vigil ${us(ns.vigil)}, hand-written ${us(ns.byHand)}`],
    ),
  ]
}

const fasterTimes: Readonly<Record<string, number>> = {
  '@marcbachmann/cel-js': 8,
  '@bufbuild/cel': 20,
  '@gorules/zen-engine': 150,
  'json-rules-engine': 150,
}

async function againstOthers(rounds: Rounds): Promise<readonly Figure[]> {
  const others = otherEngines(sixtyRules, plan)
  const subjects: Record<string, Subject> = { vigil: inTurn(evidence, vigil.run) }
  for (const other of others) subjects[other.name] = await subjectOf(other)
  const ns = await sideBySide(subjects, rounds)
  return others.map((other) => {
    const own = ns['vigil'] ?? []
    const theirs = ns[other.name] ?? []
    return figureOf(
      {
        name,
        against: other.name,
        unit: 'times faster',
        target: { bound: 'at least', value: fasterTimes[other.name] ?? Number.NaN },
      },
      ratios(theirs, own),
      [`Vigil ${us(own)}, ${other.name} ${us(theirs)}`],
    )
  })
}

async function subjectOf(other: OtherEngine): Promise<Subject> {
  const facts = everybody.map(other.factsOf) as never[]
  for (const [index, one] of evidence.entries()) {
    assertSame(other.name, await other.run(facts[index] as never), vigil.run(one).recipes[0])
  }
  const first = other.run(facts[0] as never)
  return first instanceof Promise ? inTurnAsync(facts, other.run) : inTurn(facts, other.run)
}

async function againstMoreRules(rounds: Rounds): Promise<readonly Figure[]> {
  const more = compilePlan(planOf(manyRules()))
  const ns = await sideBySide(
    { sixty: inTurn(evidence, vigil.run), more: inTurn(evidence, more.run) },
    rounds,
  )
  return [
    figureOf(
      {
        name: 'engine, 600 rules',
        against: '60 rules',
        unit: 'times the time',
        target: { bound: 'at most', value: 11 },
      },
      ratios(ns.more, ns.sixty),
      [`60 rules ${us(ns.sixty)}, 600 rules ${us(ns.more)}`],
    ),
  ]
}

/** The rules ten times over, with other numbers each time. */
function manyRules(): readonly Condition[] {
  return Array.from({ length: longer }, (_, round) =>
    sixtyRules.map((condition) => changed(condition, round)),
  ).flat()
}

function changed(condition: Condition, by: number): Condition {
  switch (condition.kind) {
    case 'compare':
      return { ...condition, value: condition.value + by }
    case 'and':
    case 'or':
      return { ...condition, of: condition.of.map((part) => changed(part, by)) }
    case 'not':
      return { ...condition, of: changed(condition.of, by) }
    default:
      return condition
  }
}

/** Does the work for one input after the other; the results are looked at, so that none can be left out. */
function inTurn<Input>(inputs: readonly Input[], run: (input: Input) => unknown): Subject {
  let seen: unknown
  return (times) => {
    for (let at = 0; at < times; at += 1) seen = run(inputs[at % inputs.length] as Input)
    if (seen === undefined) throw new Error('nothing was computed')
  }
}

function inTurnAsync<Input>(inputs: readonly Input[], run: (input: Input) => unknown): Subject {
  return async (times) => {
    for (let at = 0; at < times; at += 1) await run(inputs[at % inputs.length] as Input)
  }
}

function assertSame(whose: string, theirs: unknown, own: unknown | RecipeResult): void {
  if (!isDeepStrictEqual(theirs, own)) {
    throw new Error(`${whose} answers ${JSON.stringify(theirs)}, Vigil ${JSON.stringify(own)}`)
  }
}

function us(ns: readonly number[]): string {
  return `${(median(ns) / 1e3).toFixed(2)} µs`
}
