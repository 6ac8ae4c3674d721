/**
 * Whether steps follow cost: nanoseconds of a step of every operation of the language, and of the dearest flow that the
 * limits allow.
 */

import type { Expression, ValueType } from '../src/engine/language/expression.ts'
import type { Operation } from '../src/engine/language/operators/operation.ts'
import type { Benchmark } from './benchmark.ts'
import { compileExpression, newEvidenceSlots, newMemory, operations, parseRule } from './built.ts'
import { partRules } from './dearRules.ts'
import { figureOf } from './figure.ts'
import { type Sample, samplesOf } from './operationSamples.ts'
import { type Subject, sideBySide } from './sideBySide.ts'
import { median } from './statistics.ts'

/** What one operation is measured on. */
interface Case {
  readonly name: string
  readonly subject: Subject
  /** Steps of one piece of the work. */
  readonly steps: number
}

/** Measures every operation and every part of a rule, and names the dearest. */
export const steps: Benchmark = async ({ size }) => {
  const cases = [...measurable.flatMap(casesOf), ...partRules.map(caseOfRule), readingOnly]
  const subjects = Object.fromEntries(cases.map(({ subject }, at) => [at, subject]))
  const measured = await sideBySide(subjects, {
    rounds: { full: 15, quick: 9, smallest: 1 }[size],
    roundMs: { full: 2, quick: 0.5, smallest: 0.05 }[size],
  })
  const reading = nsOf(measured[cases.length - 1])
  const found = cases.map(({ name, steps: taken }, at) => {
    const ns = nsOf(measured[at]) - reading
    return { name, ns, taken, perStep: ns / taken }
  })
  const dearest = dearestOf(found)
  const average = median(dearest.map(({ perStep }) => perStep))
  const shown = dearest
    .slice(0, 8)
    .map(({ name, ns, taken, perStep }) =>
      [name, `${perStep.toFixed(1)} ns a step`, `${ns.toFixed(0)} ns`, `${taken} steps`].join(', '),
    )
  return [
    figureOf(
      {
        name: `steps: the dearest of ${dearest.length} operations and parts of rules`,
        against: 'the median of all',
        unit: 'times the nanoseconds of a step',
        target: { bound: 'at most', value: 3 },
      },
      dearest.slice(0, 1).map(({ perStep }) => perStep / average),
      [`median ${average.toFixed(1)} ns a step`, ...shown],
    ),
  ]
}

/** What a list answers is looked up before the rules run, and is no work of theirs: the part `lists` measures it. */
const measurable = operations.filter(({ name }) => name !== 'inList' && name !== 'phoneCountry')

/** Others at work on the machine make a round slower, never faster. */
function nsOf(rounds: readonly number[] | undefined): number {
  return Math.min(...(rounds ?? []))
}

interface Found {
  readonly name: string
  readonly ns: number
  readonly taken: number
  readonly perStep: number
}

/** Of every name the case that is dearest, the dearest name first. */
function dearestOf(found: readonly Found[]): readonly Found[] {
  const worst = new Map<string, Found>()
  for (const one of found) {
    if (one.perStep > (worst.get(one.name)?.perStep ?? 0)) worst.set(one.name, one)
  }
  return [...worst.values()].sort((a, b) => b.perStep - a.perStep)
}

const literals: Readonly<Record<string, readonly Written[]>> = {
  prefix: [1, 32],
  matches: ['^a+b', '(?i)[a-z]{40}[0-9]', '(a|b|é)*a(a|b|é){12}', 'aaaa'],
  inCidr: [
    '203.0.113.0/24',
    '2001:db8::/32',
    Array.from({ length: 150 }, (_, at) => `10.${at}.0.0/16`),
    Array.from({ length: 150 }, (_, at) => `2001:db8:${at.toString(16)}::/48`),
  ],
}

const addresses = ['203.0.113.7', '2001:db8:85a3:8d3:1319:8a2e:370:7348', '::ffff:203.0.113.7']

function casesOf(operation: Operation): readonly Case[] {
  const { name, params } = operation
  const written = literals[name]
  if (name === 'network')
    return addressSamples.map((sample) => caseOf(operation, sample, undefined))
  if (!written) {
    const samples = samplesOf(name, params)
    const whole = params.some((type) => type.startsWith('list<'))
    return samples.flatMap((sample) => [
      caseOf(operation, sample, undefined),
      ...(whole && name === 'in' ? [caseOf(operation, sample, itemsOf(sample))] : []),
    ])
  }
  const isList = params[1]?.startsWith('list<') === true
  const fitting = written.filter((literal) => Array.isArray(literal) === isList)
  const samples = name === 'inCidr' ? addressSamples : samplesOf('size', ['string'])
  return fitting.flatMap((literal) => samples.map((sample) => caseOf(operation, sample, literal)))
}

/** Addresses that are not the one before: the last is remembered. */
function variedAddresses(text: string): readonly string[] {
  return Array.from({ length: 8 }, (_, at) => text.slice(0, -1) + at)
}

const addressSamples = addresses.map((text) => ({ first: variedAddresses(text), second: [0] }))

function itemsOf({ second }: Sample): readonly (string | number | boolean)[] {
  return second
}

type Written = string | number | readonly (string | number | boolean)[]

const at = [1, 1] as const

/**
 * A call of the operation on names that hold the sample, its last argument written in the rule where it is `literal`.
 */
function caseOf(operation: Operation, sample: Sample, literal: Written | undefined): Case {
  const args = operation.params.map((type, index): Expression => {
    if (index === 1 && literal !== undefined) return writtenNode(literal, type)
    const read = { kind: 'read', name: `signal.ext.${index}`, at } as const
    if (!type.startsWith('list<')) return read
    return { kind: 'list', items: Array.from({ length: 100 }, () => read), at }
  })
  const kind = literal === undefined ? '' : ' written'
  const name = `${operation.name}(${operation.params.join(', ')})${kind}`
  return caseOfExpression(name, { kind: 'call', operator: operation.id, args, at }, sample)
}

function writtenNode(value: Written, type: string): Expression {
  const item = type.replace(/^list<|>$/g, '') as ValueType
  if (!Array.isArray(value))
    return { kind: 'literal', type: item, value: value as string | number, at }
  const items = (value as readonly string[]).map((one) => writtenNode(one, item))
  return { kind: 'list', items, at }
}

const nothing: Sample = { first: [1], second: [1] }

/** What every other case does beside its own work. */
const readingOnly = caseOfExpression('reading', { kind: 'read', name: 'signal.ext.0', at }, nothing)

function caseOfRule(text: string): Case {
  const parsed = parseRule(text)
  if (!('expression' in parsed)) throw new Error(`${text}: ${JSON.stringify(parsed.problems)}`)
  return caseOfExpression(text.slice(0, 40), parsed.expression, nothing)
}

function caseOfExpression(name: string, expression: Expression, sample: Sample): Case {
  const memory = newMemory()
  const slots = newEvidenceSlots()
  const compiled = compileExpression(expression, {
    memory,
    slots,
    countsSteps: true,
    hasGuards: false,
    rule: expression,
    variables: new Map(),
    memoizedOperations: new Map(),
    asks: new Map(),
  })
  const [first, second] = [slots.getOrAddSlot('signal.ext.0'), slots.getOrAddSlot('signal.ext.1')]
  const asInt = slots.getOrAddSlot('signal.ext.0', 'int')
  const { cells } = memory
  const budget = 1e15
  const subject = (times: number): void => {
    memory.stepsLeft = budget
    for (let turn = 0; turn < times; turn += 1) {
      cells[first] = sample.first[turn % sample.first.length]
      cells[second] = sample.second[turn % sample.second.length]
      cells[asInt] = 1
      // what is computed once a run is computed anew
      memory.run += 1
      memory.hasFailed = false
      compiled.run()
    }
  }
  subject(sample.first.length)
  return { name, subject, steps: (budget - memory.stepsLeft) / sample.first.length }
}
