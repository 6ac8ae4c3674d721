/** Checks the fields of a file before it is sent; the service checks everything else. */

import type { ListInput } from '../../../commands/lists/namedLists.ts'
import type { FlowInput } from '../../../commands/rulebook/flows.ts'
import type { RecipeInput } from '../../../commands/rulebook/recipes.ts'
import type { RuleInput } from '../../../commands/rulebook/rules.ts'
import { nearest } from '../../../domain/text/nearest.ts'
import { isIdOf, type Kind } from './kind.ts'
import type { Fields } from './resourceFile.ts'

/** Reports a problem of the value at this path, present or missing. */
export type Complain = (path: readonly (string | number)[], sentence: string) => void

/** Reports every problem of the fields of one resource. */
export function checkFields(kind: Kind, fields: Fields, complain: Complain): void {
  const known = Object.keys(checks[kind])
  const meant = suggestNames(fields, { known: [...known, 'id'], complain })
  for (const [name, check] of Object.entries(checks[kind])) {
    if (!meant.has(name)) check(fields[name], name, complain)
  }
}

interface Naming {
  readonly known: readonly string[]
  readonly complain: Complain
  readonly under?: readonly (string | number)[]
}

/** Complains of names that are near to those of missing fields, which it answers; any other unknown name is for the service to judge. */
function suggestNames(
  given: Fields,
  { known, complain, under = [] }: Naming,
): ReadonlySet<string | undefined> {
  const missing = known.filter((name) => given[name] === undefined)
  const meant = new Set<string | undefined>()
  for (const name of Object.keys(given)) {
    const near = known.includes(name) ? undefined : nearest(name, missing)
    if (near === undefined) continue
    meant.add(near)
    complain([...under, name], `There is no field ${name}; did you mean ${near}?`)
  }
  return meant
}

/** The check of one field; undefined is a field that is not there. */
type Check = (given: unknown, name: string, complain: Complain) => void

/** A check for every field that an author writes. */
type Checks<Input> = { readonly [Field in keyof Input]-?: Check }

/** Blanks are a text to the service. */
const text: Check = (given, name, complain) => {
  if (typeof given === 'string' && given !== '') return
  complain([name], `${name} must be a text.`)
}

const whole: Check = (given, name, complain) => {
  if (!Number.isInteger(given)) complain([name], `${name} must be a whole number.`)
}

const lists: Checks<ListInput> = {
  name: text,
  kind: text,
  description: (given, name, complain) => {
    if (given !== undefined) text(given, name, complain)
  },
}

const rules: Checks<RuleInput> = { name: text, expression: text }

const memberNames = ['rule', 'weight', 'preempts', 'version_id']

const recipes: Checks<RecipeInput> = {
  name: text,
  status: text,
  threshold: whole,
  rules: (given, name, complain) => {
    for (const [index, member] of entriesOf(given, name, complain)) {
      const fields = (member ?? {}) as Fields
      const { rule, weight } = fields
      const meant = suggestNames(fields, { known: memberNames, complain, under: [name, index] })
      if (!meant.has('rule') && (typeof rule !== 'string' || rule === '')) {
        complain([name, index], 'rule must name a file of rules, or be an id.')
      }
      if (!meant.has('weight') && !Number.isInteger(weight))
        complain([name, index], 'weight must be a whole number.')
    }
  },
  base_recipe_id: (given, name, complain) => {
    if (given === undefined || (typeof given === 'string' && isIdOf('recipes', given))) return
    complain([name], `${name} must be the id of a managed recipe (rcp_…).`)
  },
  parameters: (given, name, complain) => {
    if (given === undefined) return
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      complain([name], `${name} must be names with values; leave it out for none.`)
      return
    }
    for (const [parameter, value] of Object.entries(given)) {
      if (['string', 'number', 'boolean'].includes(typeof value)) continue
      complain([name, parameter], `${parameter} must be a text, a number, true or false.`)
    }
  },
}

const flows: Checks<FlowInput> = {
  name: text,
  recipes: (given, name, complain) => {
    for (const [index, recipe] of entriesOf(given, name, complain)) {
      if (typeof recipe === 'string' && recipe !== '') continue
      complain([name, index], 'must name a file of recipes, or be an id.')
    }
  },
}

const checks: Readonly<Record<Kind, Readonly<Record<string, Check>>>> = {
  lists,
  rules,
  recipes,
  flows,
}

function entriesOf(given: unknown, name: string, complain: Complain): Iterable<[number, unknown]> {
  if (Array.isArray(given)) return given.entries()
  complain([name], `${name} must be a list.`)
  return []
}
