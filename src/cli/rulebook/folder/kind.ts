/** Declares the resource types a folder stores: lists, rules, recipes and flows. */

import { hasIdForm } from '../../connecting/nameLookup.ts'

/** Kinds with versions and commands of their own, in the order of their references. */
export const resourceKinds = ['rules', 'recipes', 'flows'] as const

/** All kinds in a folder, in the order of their references: rules use lists. */
export const kinds = ['lists', ...resourceKinds] as const

export type ResourceKind = (typeof resourceKinds)[number]

export type Kind = (typeof kinds)[number]

/** What a resource of each kind is called, the prefix of its ids, and its collection in the API. */
export const kindFacts = {
  lists: { noun: 'list', prefix: 'lst', path: '/v2/watch/management/lists' },
  rules: { noun: 'rule', prefix: 'rul', path: '/v2/watch/management/rules' },
  recipes: { noun: 'recipe', prefix: 'rcp', path: '/v2/watch/management/recipes' },
  flows: { noun: 'flow', prefix: 'flo', path: '/v2/watch/management/flows' },
} as const

/** Whether the text has the form of an id; a slug never has. */
export function isIdOf(kind: Kind, text: string): boolean {
  return hasIdForm(kindFacts[kind].noun, text)
}

/** Builds a record with a value per kind, in order. */
export function eachKind<Value>(of: (kind: Kind) => Value): Readonly<Record<Kind, Value>> {
  return { lists: of('lists'), rules: of('rules'), recipes: of('recipes'), flows: of('flows') }
}
