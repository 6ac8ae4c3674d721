/** Classifies the reads of a rule; builds the nodes of its trace, with their source cut short. */

import { asSchemaOf, type ObjectOf, openObject, optional, text } from '../../domain/jsonSchema.ts'
import { type Expression, listChildren, type ReadNode } from '../language/expression.ts'
import { parseTextByType } from '../language/operators/celFunctions.ts'
import { findUnreachableNodes } from '../language/presenceConditions.ts'
import { findNameType } from '../language/readableNames.ts'
import { unparse } from '../language/unparse.ts'
import type { ScalarValue, Value } from '../language/values/value.ts'
import type { Evidence, EvidenceItem } from '../run/evidence.ts'
import { describeUnreadable, renderValue } from './describeFailure.ts'

const textMax = 200

export interface RuleInputs {
  readonly expression: Expression
  readonly findItem: (name: string) => EvidenceItem | undefined
  /** The value of a read; undefined when its name did not arrive or does not convert. */
  readonly findReadValue: (read: ReadNode) => ScalarValue | undefined
  /** The parts that guards exclude. */
  readonly unreachableNodes: ReadonlySet<Expression>
  /** The reads in parts that are reached. */
  readonly neededReads: ReadonlySet<ReadNode>
  /** The parts that contain a needed read without value; if there are any, the rule did not run. */
  readonly missingNodes: ReadonlySet<Expression>
}

/** The rule over the evidence. */
export function resolveRuleInputs(expression: Expression, evidence: Evidence): RuleInputs {
  const findItem: RuleInputs['findItem'] = (name) => {
    const item = evidence.get(name)
    // an empty text did not arrive
    return item?.value === '' ? undefined : item
  }
  const findReadValue: RuleInputs['findReadValue'] = ({ name, convert }) => {
    const value = findItem(name)?.value
    if (convert === undefined) return value
    return typeof value === 'string' ? parseTextByType[convert](value) : undefined
  }
  const unreachableNodes = findUnreachableNodes(expression, (name) => findItem(name) !== undefined)
  const neededReads = new Set<ReadNode>()
  const missingNodes = new Set<Expression>()
  const visit = (node: Expression): boolean => {
    if (unreachableNodes.has(node)) return false
    if (node.kind === 'read') neededReads.add(node)
    const lacks = node.kind === 'read' && findReadValue(node) === undefined
    const isMissing = listChildren(node).map(visit).includes(true) || lacks
    if (isMissing) missingNodes.add(node)
    return isMissing
  }
  visit(expression)
  return {
    expression,
    findItem,
    findReadValue,
    unreachableNodes,
    neededReads,
    missingNodes,
  }
}

/** A subexpression of a rule and its value; a tree, whose branches are of the same kind. */
export interface Trace extends ObjectOf<typeof partFields> {
  readonly parts?: readonly Trace[]
}

/**
 * `missing`: did not arrive, or depends on a name that did not. `failed`: could not be computed. `not_evaluated`: the
 * rule did not run, or its tree is too large.
 */
export type TraceState = Trace['state']

const partFields = {
  text,
  line: { type: 'integer' },
  column: { type: 'integer' },
  state: { type: 'string', enum: ['value', 'missing', 'failed', 'not_evaluated'] },
  value: optional(
    asSchemaOf<Value>({
      description:
        'The value of the part; times, and numbers that JSON does not have (Infinity, NaN), as text.',
    }),
  ),
  problem: optional({
    type: 'string',
    description:
      'Why there is no value although all names arrived, and what to write instead: on the part that failed.',
  }),
  needed: optional({
    type: 'boolean',
    const: false,
    description: 'Present when the result did not need this part.',
  }),
} as const

export const traceSchema = asSchemaOf<Trace>(
  openObject('ExpressionPart', {
    ...partFields,
    parts: optional({ type: 'array', items: { $ref: '#/components/schemas/ExpressionPart' } }),
  }),
)

/** The content of a read; without a value it says whether something arrived that does not convert. */
export function traceRead(read: ReadNode, { findItem, findReadValue }: RuleInputs): TraceContent {
  const value = findReadValue(read)
  const item = value === undefined ? findItem(read.name) : undefined
  return { value, state: 'missing', problem: item && describeUnreadable(read, item.value) }
}

export interface TracedValue {
  readonly trace: Trace
  readonly value: Value | undefined
}

/** What an explanation may still cost. */
export interface TraceBudget {
  /** Parts; one that shows a long value counts as several. */
  parts: number
  /** Steps of evaluating rules again. */
  steps: number
}

interface TraceContent {
  readonly value?: Value | undefined
  /** Why there is no value. */
  readonly state?: TraceState
  readonly problem?: string | undefined
  readonly parts?: readonly Trace[]
}

/** A part with its value; without one in this state. */
export function buildTrace(
  node: Expression,
  { value, state = 'failed', problem, parts = [] }: TraceContent,
  { budget }: { readonly budget: TraceBudget },
): TracedValue {
  const [line, column] = node.at
  const text = unparse(node).slice(0, textMax)
  const found =
    value === undefined
      ? { state, ...(problem !== undefined && { problem }) }
      : { state: 'value' as const, value: renderValue(node, value) }
  // every part with a long value shows it again
  budget.parts -= Math.floor(countChars(value ?? problem ?? '') / textMax)
  const trace = { text, line, column, ...found, ...(parts.length > 0 && { parts }) }
  return { trace, value }
}

function countChars(value: Value): number {
  if (typeof value === 'string') return value.length
  if (!Array.isArray(value)) return 0
  return (value as readonly ScalarValue[]).reduce(
    (sum: number, item) => sum + countChars(item) + 4,
    0,
  )
}

/** The value of a name as shown: times in ISO 8601. */
export function renderCell(name: string, value: ScalarValue): ScalarValue {
  const isTime = typeof value === 'number' && findNameType(name, undefined) === 'timestamp'
  return isTime ? new Date(value).toISOString() : value
}
