/** Brings a file up to date and leaves everything else in it, comments above all, as it was. */

import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import { asBlock, documentText } from './renderThing.ts'
import type { Fields, ThingFile } from './thingFile.ts'

/** The file's text with these fields in place of those it has. Changes the file's document. */
export function reviseThing({ document, fields }: ThingFile, wanted: Fields): string {
  for (const name of Object.keys(fields)) {
    if (!(name in wanted)) document.delete(name)
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (isDeepStrictEqual(fields[name], value)) continue
    const list: unknown = document.get(name, true)
    if (isSeq(list) && Array.isArray(value)) reviseList(document, list, value)
    else document.set(name, value)
  }
  if (fields['expression'] !== wanted['expression']) asBlock(document)
  return documentText(document)
}

/** An entry that stays keeps its node, with its comments; entries are told apart by the rule or recipe they name. */
function reviseList(document: Document, list: YAMLSeq, wanted: readonly unknown[]): void {
  const kept = new Map(
    list.items.map((item) => [nameOf(isNode(item) ? item.toJS(document) : item), item]),
  )
  list.items = wanted.map((value) => {
    const node = kept.get(nameOf(value))
    if (node === undefined) return document.createNode(value)
    if (isMap(node)) reviseMember(document, node, value as Fields)
    return node
  })
}

function reviseMember(document: Document, node: YAMLMap, wanted: Fields): void {
  const present = node.toJS(document) as Fields
  for (const name of Object.keys(present)) if (!(name in wanted)) node.delete(name)
  for (const [name, value] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(present[name], value)) node.set(name, value)
  }
}

function nameOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, 'rule') : value
}
