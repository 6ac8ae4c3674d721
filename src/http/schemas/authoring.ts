/** Rules, recipes and flows as their authors write and read them. */

import { answeredObject, int64, limits, type Schema, strictObject } from './schema.ts'

const name: Schema = { type: 'string', minLength: 1, maxLength: limits.name }
const id: Schema = { type: 'string', minLength: 1, maxLength: limits.id }
const status: Schema = { type: 'string', enum: ['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'] }

const ruleFields = {
  name,
  expression: {
    type: 'string',
    minLength: 1,
    maxLength: limits.expression,
    description: 'A condition in the rule language; it must be true or false.',
  },
}

const membership: Schema = {
  title: 'Membership',
  ...strictObject(
    {
      rule_id: id,
      weight: int64,
      preempts: {
        type: 'string',
        enum: ['FLAG', 'PASS'],
        description: 'When the rule triggers, it sets the verdict.',
      },
      version_id: { ...id, description: 'Pins a version of the rule.' },
    },
    ['rule_id', 'weight'],
  ),
}

const recipeFields = {
  name,
  status,
  threshold: { ...int64, description: 'The score at or above which the recipe flags.' },
  rules: { type: 'array', maxItems: limits.rulesPerRecipe, items: membership },
}

const flowFields = {
  name,
  recipes: { type: 'array', minItems: 1, maxItems: limits.recipesPerFlow, items: id },
}

const identity = { id: { type: 'string' }, version_id: { type: 'string' } }

/** What one kind of thing looks like: as it is written, as it is read, and a page of them. */
export interface ShelfSchemas {
  readonly input: Schema
  readonly view: Schema
  readonly page: Schema
}

export const ruleSchemas = shelfSchemas('Rule', 'rules', ruleFields)
export const recipeSchemas = shelfSchemas('Recipe', 'recipes', recipeFields)
export const flowSchemas = shelfSchemas('Flow', 'flows', flowFields)

function shelfSchemas(
  title: string,
  plural: string,
  fields: Readonly<Record<string, Schema>>,
): ShelfSchemas {
  const view = answeredObject(title, { ...identity, ...fields })
  return {
    input: { title: `${title}Input`, ...strictObject(fields, Object.keys(fields)) },
    view,
    page: answeredObject(
      `${title}Page`,
      {
        [plural]: { type: 'array', items: view },
        next_cursor: { type: 'string', description: 'Absent on the last page.' },
      },
      [plural],
    ),
  }
}
