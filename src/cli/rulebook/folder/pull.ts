/** Writes the service's resources into a folder, and keeps the comments of existing files. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import { makeFolder } from '../../../domain/makeFolder.ts'
import { namedResources } from '../../connecting/resourceId.ts'
import { adoptIds, type FolderChange, listChanges, type ServiceResource } from './compareFolder.ts'
import {
  buildSlug,
  buildSlugTranslator,
  type FileIdentity,
  fileName,
  findUnusedSlug,
  folderKinds,
  formatExpressionAsBlock,
  hasOwnId,
  insertId,
  type ResourceFields,
  type ResourceFile,
  readField,
  renderDocument,
  renderResource,
  writeFileAtomically,
} from './resourceFile.ts'

/** The result for a file. `unknown`: the service has no such resource (any more), and the file stays. */
export interface PulledFile {
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
  given: readonly ResourceFile[],
  resources: readonly ServiceResource[],
): readonly PulledFile[] {
  const files = adoptIds(given, resources)
  const slugOfId = buildSlugTranslator(nameFiles(files, resources))
  const changes = listChanges(files, resources, slugOfId)
  const changeOfId = new Map(changes.map((change) => [change.id, change]))
  for (const kind of folderKinds) makeFolder(join(folder, kind))
  const written = resources.flatMap(({ view: { id } }): readonly PulledFile[] => {
    const change = changeOfId.get(id)
    if (!change) return []
    writeFileAtomically(folder, change.name, renderFile(change))
    return [{ action: change.file ? 'changed' : 'written', file: change.name, id }]
  })
  const unknown = changes
    .filter(({ action }) => action === 'create' || action === 'gone')
    .map(({ name, id }): PulledFile => {
      // a file without an id is unpublished work
      if (!prune || id === undefined) return { action: 'unknown', file: name, id }
      rmSync(join(folder, name), { force: true })
      return { action: 'removed', file: name, id }
    })
  return [...written, ...unknown]
}

/** Names every file, those that are there and those that are to be written. */
function nameFiles(
  files: readonly ResourceFile[],
  resources: readonly ServiceResource[],
): readonly FileIdentity[] {
  const known = new Set(files.map(({ id }) => id))
  const used = new Set(files.map(fileName))
  const added = resources
    .filter(({ view }) => !known.has(view.id))
    .map(({ kind, view: { id, name } }) => {
      const isUsed = (slug: string) => used.has(fileName({ kind, slug }))
      const slug = findUnusedSlug(buildSlug(name, namedResources[kind].noun), isUsed)
      used.add(fileName({ kind, slug }))
      return { kind, id, slug }
    })
  return [...files, ...added]
}

/** The text of the file with the fields and the id of the service. */
function renderFile({ action, file, service = {}, id = '' }: FolderChange): string {
  if (!file) return renderResource(service, id)
  const text = action === 'update' ? reviseResource(file, service) : file.text
  return hasOwnId(file) ? text : insertId(text, id)
}

/** The file's text with its fields replaced by these. Changes the file's document. */
export function reviseResource({ document, fields }: ResourceFile, wanted: ResourceFields): string {
  for (const name of Object.keys(fields)) {
    if (!(name in wanted)) document.delete(name)
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(fields[name], value)) revise(document, name, [fields[name], value])
  }
  if (fields['expression'] !== wanted['expression']) formatExpressionAsBlock(document)
  return renderDocument(document)
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
  const nodes = new Map(
    list.items.map((item) => [readReferenceName(isNode(item) ? item.toJS(document) : item), item]),
  )
  list.items = wanted.map((value) => {
    const node = nodes.get(readReferenceName(value))
    if (node === undefined) return document.createNode(value)
    if (isMap(node)) reviseMap(node, node.toJS(document) as ResourceFields, value as ResourceFields)
    return node
  })
}

/** An unchanged value keeps its node. */
function reviseMap(node: YAMLMap, present: ResourceFields, wanted: ResourceFields): void {
  for (const name of Object.keys(present)) if (!(name in wanted)) node.delete(name)
  for (const [name, value] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(present[name], value)) node.set(name, value)
  }
}

function isFields(value: unknown): value is ResourceFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readReferenceName(value: unknown): unknown {
  return readField(value, 'rule') ?? value
}
