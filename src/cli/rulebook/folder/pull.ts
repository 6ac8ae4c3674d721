/** Writes the service's resources into a folder, and keeps the comments of existing files. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import { makeFolder } from '../../terminal/makeFolder.ts'
import { hasOwnId, withAdoptedIds } from './changes.ts'
import type { View } from './problem.ts'
import type { ByKind } from './readFolder.ts'
import { asBlock, documentText, insertId, renderResource, writeFile } from './renderResource.ts'
import {
  eachKind,
  type Fields,
  fieldsOfFile,
  fieldsOfView,
  fileName,
  freeSlug,
  type Kind,
  kindFacts,
  kinds,
  type ResourceFile,
  slugOf,
  slugs,
  type Translate,
} from './resourceFile.ts'

/** The result for a file. `unknown`: the service has no such resource (any more), and the file stays. */
export interface Pulled {
  readonly action: 'written' | 'changed' | 'removed' | 'unknown'
  readonly file: string
  readonly id: string | undefined
}

interface Place {
  readonly folder: string
  /** Whether files go whose id the service does not have any more. */
  readonly prune: boolean
}

/** Writes new and changed resources; other files stay byte for byte. Every kind gets a subfolder, even an empty one. */
export function pullResources(
  { folder, prune }: Place,
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
  return [...written, ...leftOver(files, views).map((file) => remove(file, { folder, prune }))]
}

interface Named {
  readonly id: string | undefined
  readonly slug: string
}

/** The name of every file, those that are there and those that are to be written. */
function namesOf(kind: Kind, files: ByKind<ResourceFile>, views: ByKind<View>): readonly Named[] {
  const known = new Set(files[kind].map(({ id }) => id))
  const taken = new Set(files[kind].map(({ slug }) => slug))
  const fresh = views[kind]
    .filter(({ id }) => !known.has(id))
    .map(({ id, name }) => {
      const slug = freeSlug(slugOf(name, kindFacts[kind].noun), (text) => taken.has(text))
      taken.add(slug)
      return { id, slug }
    })
  return [...files[kind], ...fresh]
}

interface Sides {
  readonly view: View
  readonly file: ResourceFile | undefined
  readonly slugOfId: Translate
}

/** What the file should hold; undefined when it says so already. */
function textOf(kind: Kind, { view, file, slugOfId }: Sides): string | undefined {
  const wanted = fieldsOfView(kind, view, slugOfId)
  if (!file) return renderResource(wanted, view.id)
  if (isDeepStrictEqual(fieldsOfFile(file, slugOfId), wanted)) {
    return hasOwnId(file) ? undefined : insertId(file.text, view.id)
  }
  const text = reviseResource(file, wanted)
  return hasOwnId(file) ? text : insertId(text, view.id)
}

function leftOver(files: ByKind<ResourceFile>, views: ByKind<View>): readonly ResourceFile[] {
  return kinds.flatMap((kind) => {
    const known = new Set<string | undefined>(views[kind].map(({ id }) => id))
    return files[kind].filter(({ id }) => !known.has(id))
  })
}

/** A file without an id is work that has not been pushed, and stays. */
function remove(file: ResourceFile, { folder, prune }: Place): Pulled {
  const name = fileName(file)
  if (!prune || file.id === undefined) return { action: 'unknown', file: name, id: file.id }
  rmSync(join(folder, name), { force: true })
  return { action: 'removed', file: name, id: file.id }
}

/** The file's text with these fields in place of those it has. Changes the file's document. */
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

/** An entry that stays keeps its node, with its comments; entries are told apart by the rule or recipe they name. */
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

/** A value that stays keeps its node. */
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
