/** Declares counters (`count`, `distinct`, `sum` over a window), and finds those of a rule. */

import { hash } from 'node:crypto'
import { feedbackTypes } from '../../domain/evaluation/feedback.ts'
import { type CallNode, type Expression, visitNodes } from './expression.ts'
import { formatWrittenName } from './readableNames.ts'

/** What is counted: evaluations, those that flagged, dispatches of the front end, feedback by its type. */
export const counterSources = ['evaluations', 'flagged', 'dispatches', ...feedbackTypes] as const
export type CounterSource = (typeof counterSources)[number]

const hourMs = 3_600_000

/** Whether it counts evaluations, whose evidence is on record; of dispatches and feedback no scan tells. */
export function countsEvaluations({ source }: Pick<CounterSeries, 'source'>): boolean {
  return source === 'evaluations' || source === 'flagged'
}

/** Every window by its name, from the shortest. */
export const counterWindowsMs = Object.freeze({
  '10m': hourMs / 6,
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
})
export type CounterWindow = keyof typeof counterWindowsMs

export const counterKinds = ['count', 'distinct', 'sum'] as const
export type CounterKind = (typeof counterKinds)[number]

/** The most members that `distinct` tells apart; a set with more has this value and one. */
export const distinctMax = 255

/** The functions of which a part of a key may be, by the ids of their operations. */
const partFunctions = {
  'network(string)': 'network',
  'emailDomain(string)': 'emailDomain',
  'phoneCountry(string)': 'phoneCountry',
  'prefix(string, int)': 'prefix',
} as const
type CounterPartFunction = (typeof partFunctions)[keyof typeof partFunctions]

/** A part of a counter's key: the value of a name, or of a function of one. */
export interface CounterPart {
  readonly name: string
  readonly function?: CounterPartFunction
  /** For `prefix`: the characters that are kept. */
  readonly chars?: number
}

/** What is kept of counters whatever their window. */
export interface CounterSeries {
  /** The first characters of the digest of the text. */
  readonly id: string
  /** In canonical form: `distinct(evaluations, target.phone_number, by(signal.device_id))`. */
  readonly text: string
  readonly kind: CounterKind
  readonly source: CounterSource
  /** The name whose values are told apart or added up; undefined for `count`. */
  readonly measured?: string
  readonly by: readonly CounterPart[]
}

/** A counter as a rule has it. */
export interface CounterCall {
  /** The call in canonical text, which is the name of its answer in the evidence. */
  readonly name: string
  readonly series: CounterSeries
  readonly window: CounterWindow
}

const seriesIdChars = 12

/** A counter without its key. */
export type CounterHead = Pick<CounterSeries, 'kind' | 'source' | 'measured'> &
  Pick<CounterCall, 'window'>

/** The operator of a counter in stored expressions; its arguments are the parts of its key. */
export function formatCounterOperator({ kind, source, window, measured }: CounterHead): string {
  return [kind, source, window, ...(measured === undefined ? [] : [measured])].join(' ')
}

const operatorForm = /^(count|distinct|sum) (\S+) (\S+)(?: (.+))?$/su

function parseCounterOperator(operator: string): CounterHead | undefined {
  const [, kind, source = '', window = '', measured] = operatorForm.exec(operator) ?? []
  const isKnown = isCounterSource(source) && isCounterWindow(window)
  if (kind === undefined || !isKnown) return undefined
  const head = { kind: kind as CounterKind, source, window }
  return measured === undefined ? head : { ...head, measured }
}

export function isCounterSource(text: string): text is CounterSource {
  return counterSources.some((source) => source === text)
}

export function isCounterWindow(text: string): text is CounterWindow {
  return Object.hasOwn(counterWindowsMs, text)
}

export function isCounterOperator(operator: string): boolean {
  return parseCounterOperator(operator) !== undefined
}

/** The counter that a node is; undefined for every other node, and for a counter of another version. */
export function readCounter(node: Expression): CounterCall | undefined {
  if (node.kind !== 'call') return undefined
  const head = parseCounterOperator(node.operator)
  return head && buildCounter(head, node)
}

function buildCounter(
  { kind, source, measured, window }: CounterHead,
  { args }: CallNode,
): CounterCall | undefined {
  const by = args.map(readCounterPart)
  if (!by.every((part) => part !== undefined)) return undefined
  const written = measured === undefined ? undefined : formatWrittenName(measured)
  const what = written === undefined ? [] : [kind === 'sum' ? `int(${written})` : written]
  const parts = [source, ...what, `by(${by.map(formatCounterPart).join(', ')})`].join(', ')
  const text = `${kind}(${parts})`
  const id = hash('sha256', text, 'base64url').slice(0, seriesIdChars)
  const series = { id, text, kind, source, by, ...(measured !== undefined && { measured }) }
  return { name: `${kind}(${parts}, "${window}")`, series, window }
}

/** The part of a key that a node is: a name, or one of the functions of a name. */
export function readCounterPart(node: Expression): CounterPart | undefined {
  if (node.kind === 'read') return node.convert === undefined ? { name: node.name } : undefined
  if (node.kind !== 'call' || !Object.hasOwn(partFunctions, node.operator)) return undefined
  const [of, chars] = node.args
  if (of?.kind !== 'read' || of.convert !== undefined) return undefined
  const part = { name: of.name, function: partFunctions[node.operator as 'network(string)'] }
  return chars?.kind === 'literal' ? { ...part, chars: Number(chars.value) } : part
}

/** The part as a rule writes it. */
export function formatCounterPart({ name, function: of, chars }: CounterPart): string {
  const written = formatWrittenName(name)
  if (of === undefined) return written
  return chars === undefined ? `${of}(${written})` : `${of}(${written}, ${chars})`
}

/** The counters of a rule, each once, in order of appearance. */
export function listCounters(expression: Expression): readonly CounterCall[] {
  const counters = new Map<string, CounterCall>()
  visitNodes(expression, (node) => {
    const counter = readCounter(node)
    if (counter) counters.set(counter.name, counter)
  })
  return [...counters.values()]
}

/** Whether a rule's text may contain a counter: without one of the words it does not. */
export function mayCount(text: string): boolean {
  return /\b(?:count|distinct|sum)\b/.test(text)
}
