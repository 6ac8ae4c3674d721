/** Translates references between resources: files use slugs, the service uses ids. */

import type { Body } from '../../connecting/client.ts'
import { eachKind, type Kind } from './kind.ts'
import { normal } from './parseResource.ts'
import type { Fields, ResourceFile } from './resourceFile.ts'

/** What a reference to a resource of this kind becomes. */
export type Translate = (kind: Kind, reference: string) => string

/** The fields with every reference translated; of a recipe also `rule` and `rule_id` exchanged for each other. */
function translated(
  kind: Kind,
  fields: Fields,
  rules: { readonly from: string; readonly to: string; readonly translate: Translate },
): Fields {
  const { from, to, translate } = rules
  if (kind === 'recipes' && Array.isArray(fields['rules'])) {
    const members = (fields['rules'] as readonly Fields[]).map(
      ({ [from]: reference, ...rest }) => ({
        [to]: translate('rules', String(reference)),
        ...rest,
      }),
    )
    return { ...fields, rules: members }
  }
  if (kind === 'flows' && Array.isArray(fields['recipes'])) {
    const recipes = fields['recipes'].map((reference) => translate('recipes', String(reference)))
    return { ...fields, recipes }
  }
  return fields
}

/** What the service answered as a file would say it. */
export function fieldsOfView(kind: Kind, view: Body, slugOfId: Translate): Fields {
  const { id: _, version_id: __, ...fields } = view
  const rules = { from: 'rule_id', to: 'rule', translate: slugOfId }
  return normal(kind, translated(kind, fields, rules))
}

/** What a file says as it is sent to the service. */
export function bodyOfFields(kind: Kind, fields: Fields, idOfSlug: Translate): Body {
  return translated(kind, fields, { from: 'rule', to: 'rule_id', translate: idOfSlug })
}

/** The file's fields with every id that a file has written as that file's slug. */
export function fieldsOfFile({ kind, fields }: ResourceFile, slugOfId: Translate): Fields {
  return translated(kind, fields, { from: 'rule', to: 'rule', translate: slugOfId })
}

/** The slug of the file with that id; an id that no file has stays an id. */
export function slugs(files: Readonly<Record<Kind, readonly Named[]>>): Translate {
  const named = (kind: Kind): ReadonlyMap<string | undefined, string> =>
    new Map(files[kind].map(({ id, slug }) => [id, slug]))
  const known = eachKind(named)
  return (kind, reference) => known[kind].get(reference) ?? reference
}

type Named = Pick<ResourceFile, 'id' | 'slug'>
