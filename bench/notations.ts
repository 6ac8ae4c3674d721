/** A condition in the notation of each engine. */

import type { Condition } from './conditions.ts'

/** As a rule of Vigil, which is CEL, so that the two CEL engines take the same text. */
export function celText(condition: Condition): string {
  switch (condition.kind) {
    case 'equals':
      return `${condition.name} ${condition.not ? '!=' : '=='} ${quoted(condition.value)}`
    case 'flag':
      return condition.value ? condition.name : `!${condition.name}`
    case 'compare':
      return `${condition.type}(${condition.name}) ${condition.operator} ${numeral(condition)}`
    case 'in':
      return `${condition.name} in [${condition.values.map(quoted).join(', ')}]`
    case 'has':
      return `has(${condition.name})`
    case 'matches':
      return `${condition.name}.matches(${quoted(condition.pattern)})`
    case 'and':
    case 'or':
      return `(${condition.of.map(celText).join(condition.kind === 'and' ? ' && ' : ' || ')})`
    case 'not':
      return `!(${celText(condition.of)})`
    default:
      return `${condition.name}.${condition.kind}(${quoted(condition.text)})`
  }
}

/** As an expression of the ZEN engine. */
export function zenText(condition: Condition): string {
  switch (condition.kind) {
    case 'equals':
      return `${condition.name} ${condition.not ? '!=' : '=='} ${quoted(condition.value)}`
    case 'flag':
      return `${condition.name} == ${condition.value}`
    case 'compare':
      return `number(${condition.name}) ${condition.operator} ${condition.value}`
    case 'in':
      return `${condition.name} in [${condition.values.map(quoted).join(', ')}]`
    case 'has':
      return `${condition.name} != null`
    case 'matches':
      return `matches(${condition.name}, ${quoted(condition.pattern)})`
    case 'and':
    case 'or':
      return `(${condition.of.map(zenText).join(` ${condition.kind} `)})`
    case 'not':
      return `not (${zenText(condition.of)})`
    default:
      return `${condition.kind}(${condition.name}, ${quoted(condition.text)})`
  }
}

/** A condition of json-rules-engine. */
export type JsonCondition =
  | { readonly all: readonly JsonCondition[] }
  | { readonly any: readonly JsonCondition[] }
  | { readonly not: JsonCondition }
  | { readonly fact: string; readonly operator: string; readonly value: unknown }

const jsonOperators = {
  '<': 'lessThan',
  '<=': 'lessThanInclusive',
  '>': 'greaterThan',
  '>=': 'greaterThanInclusive',
} as const

/** As a condition of json-rules-engine over flat facts, numbers read beforehand as `{type} {name}`. */
export function jsonCondition(condition: Condition): JsonCondition {
  switch (condition.kind) {
    case 'and':
      return { all: condition.of.map(jsonCondition) }
    case 'or':
      return { any: condition.of.map(jsonCondition) }
    case 'not':
      return { not: jsonCondition(condition.of) }
    case 'equals':
      return jsonTest(condition.name, condition.not ? 'notEqual' : 'equal', condition.value)
    case 'flag':
      return jsonTest(condition.name, 'equal', condition.value)
    case 'compare':
      return jsonTest(
        `${condition.type} ${condition.name}`,
        jsonOperators[condition.operator],
        condition.value,
      )
    case 'in':
      return jsonTest(condition.name, 'in', condition.values)
    case 'has':
      return jsonTest(condition.name, 'arrived', true)
    case 'matches':
      return jsonTest(condition.name, 'matches', condition.pattern)
    default:
      return jsonTest(condition.name, condition.kind, condition.text)
  }
}

/** The places of a generated function in which evidence stands. */
export interface Places {
  readonly text: (name: string) => string
  readonly number: (name: string, type: string) => string
}

/** As an expression of JavaScript. */
export function jsText(condition: Condition, places: Places): string {
  switch (condition.kind) {
    case 'equals':
      return `${places.text(condition.name)} ${condition.not ? '!==' : '==='} ${quoted(condition.value)}`
    case 'flag':
      return `${places.text(condition.name)} === ${condition.value}`
    case 'compare':
      return `${places.number(condition.name, condition.type)} ${condition.operator} ${condition.value}`
    case 'in':
      return `(${condition.values.map((value) => `${places.text(condition.name)} === ${quoted(value)}`).join(' || ')})`
    case 'has':
      return `${places.text(condition.name)} !== undefined`
    case 'matches':
      return `/${condition.pattern}/.test(${places.text(condition.name)})`
    case 'and':
    case 'or':
      return `(${condition.of.map((part) => jsText(part, places)).join(condition.kind === 'and' ? ' && ' : ' || ')})`
    case 'not':
      return `!(${jsText(condition.of, places)})`
    case 'contains':
      return `${places.text(condition.name)}.includes(${quoted(condition.text)})`
    default:
      return `${places.text(condition.name)}.${condition.kind}(${quoted(condition.text)})`
  }
}

function jsonTest(fact: string, operator: string, value: unknown): JsonCondition {
  return { fact, operator, value }
}

function numeral({ type, value }: Extract<Condition, { kind: 'compare' }>): string {
  return type === 'double' && Number.isInteger(value) ? `${value}.0` : String(value)
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
