/** Writes the service's resources into a folder, and keeps the comments of existing files. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import { makeFolder } from '../../terminal/makeFolder.ts'
import { hasOwnId, withAdoptedIds } from './changes.ts'
import type { View } from './problem.ts'
import type { ByKind } from './readFolder.ts'
import {
  asBlock,
  documentText,
  eachKind,
  type Fields,
  fieldsOfFile,
  fieldsOfView,
  fileName,
  freeSlug,
  insertId,
  type Kind,
  kindFacts,
  kinds,
  type ResourceFile,
  renderResource,
  slugOf,
  slugs,
  type Translate,
  writeFile,
} from './resourceFile.ts'

/** The result for a file. `unknown`: the service has no such resource (any more), and the file stays. */
export interface Pulled {
  readonly action: 'written' | 'changed' | 'removed' | 'unknown'
  readonly file: string
  readonly id: string | undefined
}

interface Target {
  readonly folder: string
  /** Whether files go whose id the service does not have any more. */
  readonly prune: boolean
}

/** Writes new and changed resources; other files stay byte for byte. Every kind gets a subfolder, even an empty one. */
export function pullResources(
  { folder, prune }: Target,
  given: ByKind<ResourceFile>,
  views: ByKind<View>,
): readonly Pulled[] {
  const files = withAdoptedIds(given, views)
  const names = eachKind((kind) => namesOf(kind, files, views))
  const slugOfId = slugs(names)
  for (const kind of kinds) makeFolder(join(folder, kind))
  const written = kinds.flatMap((kind) => {
    const byId = new Map(files[kind].map((file) => [file.id, file]))
    const slugById = new Map(names[kind].map(({ id, slug }) => [id, slug]))
    return views[kind].flatMap((view): readonly Pulled[] => {
      const file = byId.get(view.id)
      const text = textOf(kind, { view, file, slugOfId })
      if (text === undefined) return []
      const name = fileName({ kind, slug: slugById.get(view.id) ?? view.id })
      writeFile(folder, name, text)
      return [{ action: file ? 'changed' : 'written', file: name, id: view.id }]
    })
  })
  return [...written, ...unknownFiles(files, views).map((file) => remove(file, { folder, prune }))]
}

interface Named {
  readonly id: string | undefined
  readonly slug: string
}

/** The name of every file, those that are there and those that are to be written. */
function namesOf(kind: Kind, files: ByKind<ResourceFile>, views: ByKind<View>): readonly Named[] {
  const known = new Set(files[kind].map(({ id }) => id))
  const used = new Set(files[kind].map(({ slug }) => slug))
  const fresh = views[kind]
    .filter(({ id }) => !known.has(id))
    .map(({ id, name }) => {
      const slug = freeSlug(slugOf(name, kindFacts[kind].noun), (text) => used.has(text))
      used.add(slug)
      return { id, slug }
    })
  return [...files[kind], ...fresh]
}

interface Sides {
  readonly view: View
  readonly file: ResourceFile | undefined
  readonly slugOfId: Translate
}

/** The new text of the file; undefined when it has the same contents. */
function textOf(kind: Kind, { view, file, slugOfId }: Sides): string | undefined {
  const wanted = fieldsOfView(kind, view, slugOfId)
  if (!file) return renderResource(wanted, view.id)
  if (isDeepStrictEqual(fieldsOfFile(file, slugOfId), wanted)) {
    return hasOwnId(file) ? undefined : insertId(file.text, view.id)
  }
  const text = reviseResource(file, wanted)
  return hasOwnId(file) ? text : insertId(text, view.id)
}

function unknownFiles(files: ByKind<ResourceFile>, views: ByKind<View>): readonly ResourceFile[] {
  return kinds.flatMap((kind) => {
    const known = new Set<string | undefined>(views[kind].map(({ id }) => id))
    return files[kind].filter(({ id }) => !known.has(id))
  })
}

/** Removes the file, but not one without an id, which is unpublished work. */
function remove(file: ResourceFile, { folder, prune }: Target): Pulled {
  const name = fileName(file)
  if (!prune || file.id === undefined) return { action: 'unknown', file: name, id: file.id }
  rmSync(join(folder, name), { force: true })
  return { action: 'removed', file: name, id: file.id }
}

/** The file's text with its fields replaced by these. Changes the file's document. */
export function reviseResource({ document, fields }: ResourceFile, wanted: Fields): string {
  for (const name of Object.keys(fields)) {
    if (!(name in wanted)) document.delete(name)
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(fields[name], value)) revise(document, name, [fields[name], value])
  }
  if (fields['expression'] !== wanted['expression']) asBlock(document)
  return documentText(document)
}

function revise(document: Document, name: string, change: readonly [unknown, unknown]): void {
  const node: unknown = document.get(name, true)
  const [present, wanted] = change
  if (isSeq(node) && Array.isArray(wanted)) reviseList(document, node, wanted)
  else if (isMap(node) && isFields(present) && isFields(wanted)) reviseMap(node, present, wanted)
  else document.set(name, wanted)
}

/** A remaining entry keeps its node with its comments; entries are identified by the rule or recipe they name. */
function reviseList(document: Document, list: YAMLSeq, wanted: readonly unknown[]): void {
  const kept = new Map(
    list.items.map((item) => [nameOf(isNode(item) ? item.toJS(document) : item), item]),
  )
  list.items = wanted.map((value) => {
    const node = kept.get(nameOf(value))
    if (node === undefined) return document.createNode(value)
    if (isMap(node)) reviseMap(node, node.toJS(document) as Fields, value as Fields)
    return node
  })
}

/** An unchanged value keeps its node. */
function reviseMap(node: YAMLMap, present: Fields, wanted: Fields): void {
  for (const name of Object.keys(present)) if (!(name in wanted)) node.delete(name)
  for (const [name, value] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(present[name], value)) node.set(name, value)
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, 'rule') : value
}
