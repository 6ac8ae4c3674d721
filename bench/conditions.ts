/** Conditions of the rules that are measured, in a form from which each engine's own notation is written. */

/** Where a rule reads text; numbers are read out of it. */
export type TextName = 'target.phone_number' | 'target.email_address' | `signal.ext.${string}`

type NumberType = 'int' | 'double'

export type Condition =
  | {
      readonly kind: 'equals'
      readonly name: TextName
      readonly value: string
      readonly not: boolean
    }
  | { readonly kind: 'flag'; readonly name: 'signal.existing_user'; readonly value: boolean }
  | {
      readonly kind: 'compare'
      readonly name: TextName
      readonly type: NumberType
      readonly operator: '<' | '<=' | '>' | '>='
      readonly value: number
    }
  | { readonly kind: 'in'; readonly name: TextName; readonly values: readonly string[] }
  | {
      readonly kind: 'startsWith' | 'endsWith' | 'contains'
      readonly name: TextName
      readonly text: string
    }
  | { readonly kind: 'matches'; readonly name: TextName; readonly pattern: string }
  | { readonly kind: 'has'; readonly name: TextName }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }

/** What a condition reads: a name, or a number out of its text. */
export interface Read {
  readonly name: string
  readonly type?: NumberType
}

export const is = (name: TextName, value: string): Condition => ({
  kind: 'equals',
  name,
  value,
  not: false,
})
export const isNot = (name: TextName, value: string): Condition => ({
  kind: 'equals',
  name,
  value,
  not: true,
})
export const oneOf = (name: TextName, ...values: readonly string[]): Condition => ({
  kind: 'in',
  name,
  values,
})
export const begins = (name: TextName, text: string): Condition => ({
  kind: 'startsWith',
  name,
  text,
})
export const ends = (name: TextName, text: string): Condition => ({ kind: 'endsWith', name, text })
export const contains = (name: TextName, text: string): Condition => ({
  kind: 'contains',
  name,
  text,
})
export const matches = (name: TextName, pattern: string): Condition => ({
  kind: 'matches',
  name,
  pattern,
})
export const arrived = (name: TextName): Condition => ({ kind: 'has', name })
export const all = (...of: readonly Condition[]): Condition => ({ kind: 'and', of })
export const any = (...of: readonly Condition[]): Condition => ({ kind: 'or', of })
export const not = (of: Condition): Condition => ({ kind: 'not', of })
export const existing = (value: boolean): Condition => ({
  kind: 'flag',
  name: 'signal.existing_user',
  value,
})

type Operator = Extract<Condition, { kind: 'compare' }>['operator']

export const int = (name: TextName, operator: Operator, value: number): Condition => ({
  kind: 'compare',
  name,
  type: 'int',
  operator,
  value,
})

export const double = (name: TextName, operator: Operator, value: number): Condition => ({
  kind: 'compare',
  name,
  type: 'double',
  operator,
  value,
})

/** What the condition reads, in order of appearance, each once; `has` is no read. */
export function readsOf(condition: Condition): readonly Read[] {
  const reads = new Map<string, Read>()
  for (const read of allReads(condition)) reads.set(`${read.type ?? ''} ${read.name}`, read)
  return [...reads.values()]
}

function allReads(condition: Condition): readonly Read[] {
  switch (condition.kind) {
    case 'has':
      return []
    case 'not':
      return allReads(condition.of)
    case 'and':
    case 'or':
      return condition.of.flatMap(allReads)
    case 'compare':
      return [{ name: condition.name, type: condition.type }]
    default:
      return [{ name: condition.name }]
  }
}
