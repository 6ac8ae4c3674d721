/** Translates references between resources: files use slugs, the service uses ids. */

import type { Body } from '../../connecting/client.ts'
import { eachKind, type Kind } from './kind.ts'
import { normal } from './parseResource.ts'
import type { Fields, ResourceFile } from './resourceFile.ts'

/** Translates a reference to a resource of this kind. */
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

/** Converts a resource of the service to the fields of a file. */
export function fieldsOfView(kind: Kind, view: Body, slugOfId: Translate): Fields {
  const { id: _, version_id: __, ...fields } = view
  const rules = { from: 'rule_id', to: 'rule', translate: slugOfId }
  return normal(kind, translated(kind, fields, rules))
}

/** Converts the fields of a file to a request body. */
export function bodyOfFields(kind: Kind, fields: Fields, idOfSlug: Translate): Body {
  return translated(kind, fields, { from: 'rule', to: 'rule_id', translate: idOfSlug })
}

/** The file's fields, with the ids of known files replaced by their slugs. */
export function fieldsOfFile({ kind, fields }: ResourceFile, slugOfId: Translate): Fields {
  return translated(kind, fields, { from: 'rule', to: 'rule', translate: slugOfId })
}

/** Translates ids to the slugs of their files; other ids stay unchanged. */
export function slugs(files: Readonly<Record<Kind, readonly Named[]>>): Translate {
  const named = (kind: Kind): ReadonlyMap<string | undefined, string> =>
    new Map(files[kind].map(({ id, slug }) => [id, slug]))
  const known = eachKind(named)
  return (kind, reference) => known[kind].get(reference) ?? reference
}

type Named = Pick<ResourceFile, 'id' | 'slug'>
