/** Says why a part of a rule has no value although its names arrived, and what to write instead. */

import { isCounterOperator } from '../language/counters.ts'
import type { CallNode, Expression, ReadNode } from '../language/expression.ts'
import { findExpressionType } from '../language/findExpressionType.ts'
import { unparse } from '../language/unparse.ts'
import { formatDuration, formatTimestamp } from '../language/values/time.ts'
import type { ScalarValue, Value } from '../language/values/value.ts'

const textMax = 200

/** By type, the texts of which its conversion reads every one. */
const readablePatterns: Readonly<Record<NonNullable<ReadNode['convert']>, string>> = {
  bool: '^(true|false)$',
  int: '^-?[0-9]{1,15}$',
  double: '^-?[0-9]{1,15}([.][0-9]{1,15})?$',
  timestamp:
    '^20[0-9]{2}-(0[1-9]|1[0-2])-([01][1-9]|10|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$',
  duration: '^[0-9]{1,9}(ms|s|m|h)$',
}

/** The value as an explanation shows it: times as text, and numbers that JSON does not have. */
export function renderValue(node: Expression, value: Value): Value {
  if (typeof value === 'object') return value.map((item) => renderValue(node, item) as ScalarValue)
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) return String(value)
  const type = findExpressionType(node)
  if (type === 'timestamp') return formatTimestamp(value)
  return type === 'duration' ? formatDuration(value) : value
}

export function describeUnreadable({ name, convert, at }: ReadNode, value: ScalarValue): string {
  const plain: ReadNode = { kind: 'read', name, at }
  return describeConversion(plain, value, convert ?? 'int')
}

function describeConversion(
  node: Expression,
  value: Value,
  convert: NonNullable<ReadNode['convert']>,
): string {
  const text = formatOperand(node)
  const fits = `${text}.matches("${readablePatterns[convert]}")`
  return `${formatFact(node, value)}, which ${convert}() cannot read: compare it as text, or convert only what fits: ${fits} && ${convert}(${text} + "") …`
}

export function describeFailure(node: CallNode, [a, b]: readonly Value[]): string {
  if (isCounterOperator(node.operator)) {
    return 'the counter has no value: it is not kept yet, still warming up, behind the log, or too large'
  }
  const [first = node, second] = node.args
  const [name = '', param = ''] = node.operator.split(/[(,)]/)
  const facts = [formatFact(first, a), ...(second ? [formatFact(second, b)] : [])]
    .filter((fact) => fact !== '')
    .join(', and ')
  const text = formatOperand(first)
  if (name === '/' || name === '%') {
    const divisor = formatOperand(second ?? first)
    return `${facts}; nothing is divided by zero: guard it with ${divisor} != 0 && …`
  }
  if (param === 'string' && Object.hasOwn(readablePatterns, name)) {
    return describeConversion(first, a ?? '', name as NonNullable<ReadNode['convert']>)
  }
  const described = failures[name]?.(text, String(a))
  if (described !== undefined) return `${facts}, ${described}`
  const type = findExpressionType(node)
  return type === 'int'
    ? `${facts}; the result is beyond 9007199254740991, the largest int: compute with double(…) instead`
    : `${facts}; the result is beyond what a ${type} can be: compare with a limit first`
}

/** By function, what is wrong with its argument, and what to write instead. */
const failures: Readonly<Record<string, (text: string, value: string) => string>> = {
  inCidr: (text) =>
    `which is no IP address: send one, or ask only what looks like one: ${text}.matches("^[0-9]+[.][0-9.]+$") && …`,
  emailDomain: (text) =>
    `which is no e-mail address with a domain in ASCII: ask only what looks like one: ${text}.matches("^[!-~]+@([A-Za-z0-9]+[.])+[A-Za-z0-9]+$") && …`,
  phoneCountry: (text, value) =>
    /^\+[1-9][0-9]{1,14}$/.test(value)
      ? `whose country cannot be told, as it belongs to no single one: decide such numbers before: ${text}.startsWith("${value.slice(0, 4)}") ? … : …`
      : `which is no phone number such as +33612345678: ask only what looks like one: ${text}.matches("^[+][1-9][0-9]{9,14}$") && …`,
  network: (text) =>
    `which is no IP address: send one, or ask only what looks like one: ${text}.matches("^[0-9]+[.][0-9.]+$") && …`,
  inList: () =>
    'which has no form that this list holds: send what its entries are, and nothing where there is none',
}

/** `signal.ext.n is "12"`; nothing for a literal. */
function formatFact(node: Expression, value: Value | undefined): string {
  if (node.kind === 'literal' || node.kind === 'list' || value === undefined) return ''
  const shown = JSON.stringify(renderValue(node, value))
  return `${formatOperand(node)} is ${cut(shown)}`
}

/** The text of a part, in brackets where an operator behind it would bind tighter. */
function formatOperand(node: Expression): string {
  const text = cut(unparse(node))
  return node.kind === 'call' && /^\W/.test(node.operator) ? `(${text})` : text
}

function cut(text: string): string {
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text
}
