/** Declares request and response of a batch of rulebook changes; derives ids of new resources. */

import type { FailureDetail } from '../../../domain/failure.ts'
import { deriveId, deriveIdAtIndex, idPrefixes } from '../../../domain/ids.ts'
import {
  asSchemaOf,
  closedObject,
  inputLimits,
  type ObjectOf,
  openObject,
  optional,
  type Schema,
  type SchemaOf,
  type TypeOf,
} from '../../../domain/jsonSchema.ts'
import { warningsField } from '../../../domain/warning.ts'
import { flowInputSchema } from '../../../state/rulebook/flows.ts'
import { listInputSchema } from '../../../state/rulebook/namedListDecisions.ts'
import { recipeInputSchema } from '../../../state/rulebook/recipes.ts'
import { ruleInputSchema } from '../../../state/rulebook/rules.ts'

/** Under which a request names them, in the order in which one can refer to another. */
export const resourceKinds = ['lists', 'rules', 'recipes', 'flows'] as const

export type ResourceKind = (typeof resourceKinds)[number]

const changeFields = {
  id: optional({
    type: 'string',
    minLength: 1,
    maxLength: inputLimits.id,
    description: 'Id of the resource to change; absent for a new one.',
  }),
  if_match: optional({
    type: 'string',
    minLength: 2,
    maxLength: inputLimits.id,
    description: 'Expected ETag, with quotes; on a mismatch nothing is changed.',
  }),
} as const

/** A change of one list, rule, recipe or flow: without an id a new one. */
export type ResourceChange<Input> = ObjectOf<typeof changeFields> & {
  readonly content?: Input
  readonly delete?: true
}

function buildChangeSchema<Input>(
  title: string,
  input: SchemaOf<Input>,
): SchemaOf<ResourceChange<Input>> {
  const fields = {
    ...changeFields,
    content: optional(input),
    delete: optional({ const: true, description: 'Delete the resource; replaces content.' }),
  }
  return asSchemaOf(
    closedObject(title, fields, {
      anyOf: [{ required: ['content'] }, { required: ['id', 'delete'] }],
      not: { required: ['content', 'delete'] },
    }),
  )
}

/** One change of each kind. */
export const changeSchemas = {
  lists: buildChangeSchema('ListOfRulebookChange', listInputSchema),
  rules: buildChangeSchema('RuleChange', ruleInputSchema),
  recipes: buildChangeSchema('RecipeChange', recipeInputSchema),
  flows: buildChangeSchema('FlowChange', flowInputSchema),
} as const satisfies Record<ResourceKind, Schema>

/**
 * Lists are written before rules, those before recipes, and those before flows; deletions follow in the reverse order.
 * What the request creates is named by its path in the request, `rules.0` or `recipes.0`, wherever an id is expected.
 */
export type RulebookChanges = {
  readonly [Kind in ResourceKind]?: readonly TypeOf<(typeof changeSchemas)[Kind]>[]
} & { readonly dry_run?: boolean }

export interface ChangesInput {
  readonly changes: RulebookChanges
  /** Schema problems of the contents, by the path of the change (`rules.0`); such a content is not read. */
  readonly faults: ReadonlyMap<string, readonly FailureDetail[]>
}

/** The outcome of one change, at the index it has in the request. */
const changedResource = openObject('ChangedResource', {
  id: optional({
    type: 'string',
    description: 'Absent for a resource that a dry run would have created.',
  }),
  version_id: optional({
    type: 'string',
    description: 'Absent for deletions, dry runs and lists.',
  }),
  changed: { type: 'boolean', description: 'false when the content is unchanged.' },
})
export type ChangedResource = TypeOf<typeof changedResource>

const changedList = {
  type: 'array',
  items: changedResource,
  description: 'In the order of the request.',
} as const

export const changedRulebookSchema = openObject('ChangedRulebook', {
  lists: changedList,
  rules: changedList,
  recipes: changedList,
  flows: changedList,
  warnings: warningsField,
})
export type ChangedRulebook = TypeOf<typeof changedRulebookSchema>

/** By index in the request. */
export type ResourceIds = Readonly<Record<ResourceKind, readonly string[]>>

export function mapResourceKinds<Value>(
  make: (name: ResourceKind) => Value,
): Readonly<Record<ResourceKind, Value>> {
  const entries = resourceKinds.map((name) => [name, make(name)] as const)
  return Object.fromEntries(entries) as Record<ResourceKind, Value>
}

export function getChangesOfKind(
  changes: RulebookChanges,
  name: ResourceKind,
): readonly ResourceChange<unknown>[] {
  return changes[name] ?? []
}

const prefixes = { rules: idPrefixes.rule, recipes: idPrefixes.recipe, flows: idPrefixes.flow }

/** Given ids as they are; those of new resources are the same whenever the command is sent. */
export function deriveResourceIds(changes: RulebookChanges, command: string): ResourceIds {
  return mapResourceKinds((name) =>
    getChangesOfKind(changes, name).map(({ id }, index) => {
      if (id !== undefined) return id
      // lists are paged by their ids: those of a command are in its order
      if (name === 'lists') return deriveIdAtIndex(idPrefixes.list, command, index)
      return deriveId(prefixes[name], command, `${name}.${index}`)
    }),
  )
}

/** The id that a path such as `rules.0` refers to; any other text unchanged. */
export function resolveResourceReference(
  ids: ResourceIds,
  name: ResourceKind,
  text: string,
): string {
  const [, kind, index] = /^([a-z]+)\.(\d{1,5})$/.exec(text) ?? []
  return (kind === name ? ids[name][Number(index)] : undefined) ?? text
}
