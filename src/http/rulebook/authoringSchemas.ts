/** Rules, recipes and flows as their authors write and read them. */

import { evidenceSources } from '../../engine/run/evidence.ts'
import { answeredObject, int64, limits, type Schema, strictObject } from '../request/schema.ts'

const name: Schema = { type: 'string', minLength: 1, maxLength: limits.name }
const id: Schema = { type: 'string', minLength: 1, maxLength: limits.id }
const status: Schema = { type: 'string', enum: ['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'] }

export const ruleFields = {
  name,
  expression: {
    type: 'string',
    minLength: 1,
    maxLength: limits.expression,
    description: 'A condition in the rule language; it must be true or false.',
  },
}

export const membershipFields = {
  rule_id: id,
  weight: int64,
  preempts: {
    type: 'string',
    enum: ['FLAG', 'PASS'],
    description: 'When the rule triggers, it sets the verdict.',
  },
  version_id: { ...id, description: 'Pins a version of the rule.' },
}

const membership: Schema = {
  title: 'Membership',
  ...strictObject(membershipFields, ['rule_id', 'weight']),
}

export const recipeFields = {
  name,
  status,
  threshold: { ...int64, description: 'The score at or above which the recipe flags.' },
  rules: { type: 'array', maxItems: limits.rulesPerRecipe, items: membership },
  base_recipe_id: {
    ...id,
    description: 'The managed recipe it extends: that one’s rules come first.',
  },
  parameters: {
    type: 'object',
    maxProperties: limits.parameters,
    propertyNames: { minLength: 1, maxLength: limits.parameterName },
    additionalProperties: {
      type: ['string', 'number', 'boolean'],
      maxLength: limits.parameterValue,
    },
    description: 'Values of parameters of that recipe; answered as texts.',
  },
}

/** Fields that a thing may lack. */
const optionalFields: ReadonlySet<string> = new Set(['base_recipe_id', 'parameters'])

function requiredOf(fields: Readonly<Record<string, Schema>>): readonly string[] {
  return Object.keys(fields).filter((field) => !optionalFields.has(field))
}

const flowFields = {
  name,
  recipes: { type: 'array', minItems: 1, maxItems: limits.recipesPerFlow, items: id },
}

const identity = { id: { type: 'string' }, version_id: { type: 'string' } }

export const signalListSchema: Schema = answeredObject('SignalList', {
  signals: {
    type: 'array',
    items: answeredObject('ReadableSignal', {
      name: { type: 'string', description: 'As a rule writes it.' },
      type: { type: 'string', enum: ['bool', 'string', 'timestamp'] },
      meaning: { type: 'string' },
      sources: {
        type: 'array',
        items: { type: 'string', enum: evidenceSources },
        description: 'Where its value can come from; the first that has one wins.',
      },
      needs_dispatch: { type: 'boolean' },
    }),
  },
})

const versionFacts = {
  version_id: { type: 'string' },
  created_at: { type: 'string', description: 'ISO 8601 UTC.' },
  created_by: {
    type: 'string',
    description: 'Id of the token, operator, or service for what ships with the product.',
  },
  restored_at: { type: 'string', description: 'When it was last made current again.' },
  restored_by: { type: 'string' },
  current: { type: 'boolean' },
}

/** What one kind of thing looks like: as it is written, as it is read, and a page of them or of its versions. */
export interface ResourceSchemas {
  readonly input: Schema
  readonly view: Schema
  readonly page: Schema
  readonly versions: Schema
}

export const ruleSchemas = resourceSchemas('Rule', 'rules', ruleFields)
export const recipeSchemas = resourceSchemas('Recipe', 'recipes', recipeFields)
export const flowSchemas = resourceSchemas('Flow', 'flows', flowFields)

function resourceSchemas(
  title: string,
  plural: string,
  fields: Readonly<Record<string, Schema>>,
): ResourceSchemas {
  const required = requiredOf(fields)
  const view = answeredObject(title, { ...identity, ...fields }, ['id', 'version_id', ...required])
  // a version has no status of its own
  const { status: _, ...content } = fields
  return {
    input: { title: `${title}Input`, ...strictObject(fields, required) },
    view,
    page: pageSchema(`${title}Page`, plural, view),
    versions: versionPageSchema(title, content, requiredOf(content)),
  }
}

/** A page of the versions of one thing; `content` is what a version of it says. */
export function versionPageSchema(
  title: string,
  content: Readonly<Record<string, Schema>>,
  required: readonly string[],
): Schema {
  const facts = ['version_id', 'created_at', 'created_by', 'current']
  const fields = { ...versionFacts, ...content }
  const version = answeredObject(`${title}Version`, fields, [...facts, ...required])
  return pageSchema(`${title}VersionPage`, 'versions', version)
}

/** A page of a list. */
export function pageSchema(title: string, plural: string, items: Schema): Schema {
  return answeredObject(
    title,
    {
      [plural]: { type: 'array', items },
      next_cursor: { type: 'string', description: 'Absent on the last page.' },
    },
    [plural],
  )
}
