/** Writes the id of a new resource into its file, and not a byte else. */

import { isMap, isNode, parseDocument } from 'yaml'
import { documentText } from './renderResource.ts'

/** The text with a line for the id above its first field. Throws when the text is not the one field by field document it was. */
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
