/** Declares the schemas of a request with several rulebook changes. */

import type {
  KindName,
  ResourceChange,
  RulebookChanges,
} from '../../commands/rulebook/changes/rulebookChanges.ts'
import { flowInputSchema } from '../../commands/rulebook/flows.ts'
import { listInputSchema } from '../../commands/rulebook/namedLists.ts'
import { recipeInputSchema } from '../../commands/rulebook/recipes.ts'
import { ruleInputSchema } from '../../commands/rulebook/rules.ts'
import { limits, optional, type Schema } from '../../domain/schema.ts'
import { type Fields, inputSchema } from '../request/schema/fields.ts'

/** Changes of one kind in one request. */
const changesMax = 5_000

/** Changes of lists in one request: an account has room for few. */
const listChangesMax = 1_000

function changeOf(title: string, input: Schema): Schema {
  const fields = {
    id: optional({
      type: 'string',
      minLength: 1,
      maxLength: limits.id,
      description: 'What is changed; absent for a new one.',
    }),
    if_match: optional({
      type: 'string',
      minLength: 2,
      maxLength: limits.id,
      description: 'Its ETag, quotes included; when it is another by now, nothing is changed.',
    }),
    content: optional(input),
    delete: optional({ const: true, description: 'It is to be deleted; in place of content.' }),
  } satisfies Fields<ResourceChange<unknown>>
  return inputSchema<ResourceChange<unknown>>(title, fields, {
    anyOf: [{ required: ['content'] }, { required: ['id', 'delete'] }],
    not: { required: ['content', 'delete'] },
  })
}

/** Of one change of each kind. */
export const changeSchemas: Readonly<Record<KindName, Schema>> = {
  lists: changeOf('ListOfRulebookChange', listInputSchema),
  rules: changeOf('RuleChange', ruleInputSchema),
  recipes: changeOf('RecipeChange', recipeInputSchema),
  flows: changeOf('FlowChange', flowInputSchema),
}

function changesOf(items: Schema | undefined, maxItems = changesMax): Schema {
  return { type: 'array', maxItems, ...(items && { items }) }
}

const place =
  'What the request makes is named by its place in it wherever an id is wanted: rules.0, recipes.0.'

function rulebookChangesOf(change: Partial<Record<KindName, Schema>>): Schema {
  return inputSchema<RulebookChanges>(
    'RulebookChanges',
    {
      lists: optional(changesOf(change.lists, listChangesMax)),
      rules: optional(changesOf(change.rules)),
      recipes: optional(changesOf(change.recipes)),
      flows: optional(changesOf(change.flows)),
      dry_run: optional({
        type: 'boolean',
        default: false,
        description: 'Only finds out whether all of it could be done.',
      }),
    },
    { description: place },
  )
}

export const rulebookChangesSchema: Schema = rulebookChangesOf(changeSchemas)

/** The same without what each change is to be. */
export const rulebookChangesOutline: Schema = rulebookChangesOf({})
