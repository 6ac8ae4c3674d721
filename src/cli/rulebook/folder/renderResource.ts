/** Renders a resource as YAML in a fixed format, and writes it to its file. */

import { renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Document, isMap, isNode, isScalar, parseDocument, Scalar } from 'yaml'
import { makeFolder } from '../../terminal/makeFolder.ts'
import type { Fields } from './resourceFile.ts'

/** The first and the last fields; the others come between, in the order of the answer. */
const first = ['id', 'name', 'status', 'threshold']
const last = ['expression', 'rules', 'recipes']

/** Renders the file, with an `id` line if given. */
export function renderResource(fields: Fields, id?: string): string {
  const document = new Document(ordered({ ...(id !== undefined && { id }), ...fields }))
  asBlock(document)
  return documentText(document)
}

/** Renders a document without folding lines. */
export function documentText(document: Document): string {
  return document.toString({ lineWidth: 0 })
}

/** Formats the expression as a YAML block scalar. */
export function asBlock(document: Document): void {
  const expression: unknown = document.get('expression', true)
  if (isScalar(expression)) expression.type = Scalar.BLOCK_LITERAL
}

function ordered(fields: Fields): Fields {
  const rank = (name: string): number => {
    if (first.includes(name)) return first.indexOf(name)
    return first.length + 1 + last.indexOf(name)
  }
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => rank(a) - rank(b)))
}

/** Replaces the file atomically, and creates its folder if missing. */
export function writeFile(folder: string, name: string, text: string): void {
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
  return documentText(document)
}
