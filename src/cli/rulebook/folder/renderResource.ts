/** Writes a resource as YAML in the one form that every pull writes. */

import { Document, isScalar, Scalar } from 'yaml'
import type { Fields } from './resourceFile.ts'

/** What stands first and what stands last; everything else between, as the service answers it. */
const first = ['id', 'name', 'status', 'threshold']
const last = ['expression', 'rules', 'recipes']

/** The text of the file, with a line for the id when there is one. */
export function renderResource(fields: Fields, id?: string): string {
  const document = new Document(ordered({ ...(id !== undefined && { id }), ...fields }))
  asBlock(document)
  return documentText(document)
}

/** The text of a document: lines are never folded. */
export function documentText(document: Document): string {
  return document.toString({ lineWidth: 0 })
}

/** Lets the expression stand as a block of its own lines. */
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
