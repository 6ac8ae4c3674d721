/** Brings a file up to date and leaves everything else in it, comments above all, as it was. */

import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import { asBlock, documentText } from './renderResource.ts'
import type { Fields, ResourceFile } from './resourceFile.ts'

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
