/** Describes, renders and writes resource files (YAML), and translates ids to slugs and back. */

import { renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Document, isMap, isNode, isScalar, parseDocument, Scalar } from 'yaml'
import { makeFolder } from '../../../domain/makeFolder.ts'
import type { JsonObject } from '../../connecting/client.ts'
import { hasIdForm, namedResources } from '../../connecting/resourceId.ts'

/** Kinds with versions and commands of their own, in the order of their references. */
const resourceKinds = ['rules', 'recipes', 'flows'] as const

/** All kinds in a folder, in the order of their references: rules use lists. */
export const folderKinds = ['lists', ...resourceKinds] as const

export type ResourceKind = (typeof resourceKinds)[number]

export type FolderKind = (typeof folderKinds)[number]

/** Whether the text has the form of an id; a slug never has. */
export function isIdOf(kind: FolderKind, text: string): boolean {
  return hasIdForm(namedResources[kind].noun, text)
}

const lengthMax = 60

/** Whether the text is a valid file name for references. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)
}

/** The slug of a name; `otherwise` when nothing of the name is left. */
export function buildSlug(name: string, otherwise: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, lengthMax)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? otherwise : slug
}

/** The slug, or the first of `slug-2`, `slug-3`, … that is not taken. */
export function findUnusedSlug(slug: string, isTaken: (slug: string) => boolean): string {
  let unused = slug
  for (let number = 2; isTaken(unused); number += 1) unused = `${slug}-${number}`
  return unused
}

/** The fields of a resource without its id, with references as in files. */
export type ResourceFields = Readonly<Record<string, unknown>>

export interface ResourceFile {
  readonly kind: FolderKind
  /** The file's name without `.yaml`, by which other files refer to it. */
  readonly slug: string
  readonly text: string
  readonly document: Document
  /** Absent until the service has given one. */
  readonly id: string | undefined
  readonly fields: ResourceFields
}

/** The path of the file within the folder. */
export function fileName({ kind, slug }: Pick<ResourceFile, 'kind' | 'slug'>): string {
  return `${kind}/${slug}.yaml`
}

/** Whether the file itself contains its id. */
export function hasOwnId({ document }: ResourceFile): boolean {
  return document.has('id')
}

export type TranslateReference = (kind: FolderKind, reference: string) => string

/**
 * The fields with every reference translated; of a recipe also `rule` and `rule_id` exchanged for each other. Whatever
 * is malformed stays as it is, for the service to judge.
 */
function translateReferences(
  kind: FolderKind,
  fields: ResourceFields,
  rules: { readonly from: string; readonly to: string; readonly translate: TranslateReference },
): ResourceFields {
  const { from, to, translate } = rules
  const toReference = (of: FolderKind, reference: unknown): unknown =>
    typeof reference === 'string' ? translate(of, reference) : reference
  if (kind === 'recipes' && Array.isArray(fields['rules'])) {
    const members = fields['rules'].map((member: unknown) => {
      if (readField(member, from) === undefined) return member
      const { [from]: reference, ...rest } = member as ResourceFields
      return { [to]: toReference('rules', reference), ...rest }
    })
    return { ...fields, rules: members }
  }
  if (kind === 'flows' && Array.isArray(fields['recipes'])) {
    const recipes = fields['recipes'].map((recipe) => toReference('recipes', recipe))
    return { ...fields, recipes }
  }
  return fields
}

/** The value of a field; undefined for what is no object. */
export function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

export function convertToFileFields(
  kind: FolderKind,
  view: JsonObject,
  slugOfId: TranslateReference,
): ResourceFields {
  const { id: _, version_id: __, ...fields } = view
  const rules = { from: 'rule_id', to: 'rule', translate: slugOfId }
  return normalizeFields(kind, translateReferences(kind, fields, rules))
}

export function convertToRequestBody(
  kind: FolderKind,
  fields: ResourceFields,
  idOfSlug: TranslateReference,
): JsonObject {
  return translateReferences(kind, fields, { from: 'rule', to: 'rule_id', translate: idOfSlug })
}

/** The file's fields, with the ids of known files replaced by their slugs. */
export function replaceIdsBySlugs(
  { kind, fields }: ResourceFile,
  slugOfId: TranslateReference,
): ResourceFields {
  return translateReferences(kind, fields, { from: 'rule', to: 'rule', translate: slugOfId })
}

/** Translates ids to the slugs of their files; other ids stay unchanged. */
export function buildSlugTranslator(files: readonly FileIdentity[]): TranslateReference {
  const slugs = new Map(files.map(({ kind, id, slug }) => [`${kind}/${id}`, slug]))
  return (kind, reference) => slugs.get(`${kind}/${reference}`) ?? reference
}

export type FileIdentity = Pick<ResourceFile, 'kind' | 'id' | 'slug'>

/**
 * Trims names, as the service does, and the end of expressions, where white space has no meaning and depends on the
 * YAML style.
 */
export function normalizeFields(kind: FolderKind, fields: ResourceFields): ResourceFields {
  const { name, expression } = fields
  const isRule = kind === 'rules' && typeof expression === 'string'
  return {
    ...fields,
    ...(typeof name === 'string' && { name: name.trim() }),
    ...(isRule && { expression: expression.trimEnd() }),
  }
}

/** The first and the last fields; the others come between, in the order of the answer. */
const first = ['id', 'name', 'status', 'threshold']
const last = ['expression', 'rules', 'recipes']

/** Renders the file, with an `id` line if given. */
export function renderResource(fields: ResourceFields, id?: string): string {
  const document = new Document(orderFields({ ...(id !== undefined && { id }), ...fields }))
  formatExpressionAsBlock(document)
  return renderDocument(document)
}

/** Renders a document without folding lines. */
export function renderDocument(document: Document): string {
  return document.toString({ lineWidth: 0 })
}

/** Formats the expression as a YAML block scalar. */
export function formatExpressionAsBlock(document: Document): void {
  const expression: unknown = document.get('expression', true)
  if (isScalar(expression)) expression.type = Scalar.BLOCK_LITERAL
}

function orderFields(fields: ResourceFields): ResourceFields {
  const rank = (name: string): number => {
    if (first.includes(name)) return first.indexOf(name)
    return first.length + 1 + last.indexOf(name)
  }
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => rank(a) - rank(b)))
}

/** Replaces the file atomically, and creates its folder if missing. */
export function writeFileAtomically(folder: string, name: string, text: string): void {
  const path = join(folder, name)
  makeFolder(dirname(path))
  // names with a leading dot are ignored when the folder is read
  const temporary = join(dirname(path), `.${process.pid}.new`)
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** Inserts an `id` line above the first field. Throws when the text is no longer a valid mapping without an `id`. */
export function insertId(text: string, id: string): string {
  const document = parseDocument(text)
  const { contents } = document
  const firstKey = isMap(contents) ? contents.items[0]?.key : undefined
  if (document.errors.length > 0 || !isMap(contents) || !isNode(firstKey) || contents.has('id')) {
    throw new Error('The file has changed in the meantime.')
  }
  const at = firstKey.range?.[0] ?? 0
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const indent = text.slice(lineStart, at)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const inserted = `${text.slice(0, at)}id: ${id}${newline}${indent}${text.slice(at)}`
  if (/^ *$/.test(indent) && parseDocument(inserted).get('id') === id) return inserted
  // written in braces, or otherwise than on lines of its own
  contents.items.unshift(document.createPair('id', id) as (typeof contents.items)[number])
  return renderDocument(document)
}
