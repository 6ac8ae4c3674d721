/** Parses a resource file (YAML), and finds the line and column of its errors and fields. */

import { type Document, isMap, isScalar, parseDocument, visit } from 'yaml'
import { idPrefixes } from '../../../domain/ids.ts'
import { namedResources } from '../../connecting/resourceId.ts'
import type { FolderProblem } from './folderProblem.ts'
import {
  type FolderKind,
  fileName,
  isIdOf,
  normalizeFields,
  type ResourceFields,
  type ResourceFile,
} from './resourceFile.ts'

interface Source {
  readonly kind: FolderKind
  readonly slug: string
  readonly text: string
}

/** Parses the file; undefined if it has problems, which are added. */
export function parseResource(source: Source, problems: FolderProblem[]): ResourceFile | undefined {
  const { kind, text } = source
  const document = parseDocument(text, { prettyErrors: false })
  const report = (offset: number, message: string): void => {
    problems.push({ path: fileName(source), ...positionAt(text, offset), message })
  }
  for (const { pos, message } of document.errors) report(pos[0], message)
  if (document.errors.length > 0) return undefined
  const value = plainValue(document)
  if (!value) {
    report(0, 'must contain the fields of one resource, without aliases.')
    return undefined
  }
  const { id, ...given } = value
  if (id !== undefined && !(typeof id === 'string' && isIdOf(kind, id))) {
    const { noun } = namedResources[kind]
    const form = `${idPrefixes[noun]}_…`
    report(
      findNodeOffset(document, ['id']),
      `id must be the id of a ${noun} (${form}); leave it out for a new one.`,
    )
    return undefined
  }
  const fields = kind === 'recipes' ? withParameterTexts(document, given) : given
  return { ...source, document, id, fields: normalizeFields(kind, fields) }
}

/** The fields; undefined when there are none, or with aliases, which can grow without limit. */
function plainValue(document: Document): ResourceFields | undefined {
  if (!isMap(document.contents)) return undefined
  let hasAlias = false
  visit(document, {
    Alias: () => {
      hasAlias = true
      return visit.BREAK
    },
  })
  return hasAlias ? undefined : (document.toJS() as ResourceFields)
}

/** The offset of the value, else of its nearest existing parent. */
export function findNodeOffset(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    const range = typeof node === 'object' && node !== null ? Reflect.get(node, 'range') : undefined
    if (Array.isArray(range)) return Number(range[0])
  }
  return 0
}

/** The line and the column, in characters, both from 1. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 }
}

/** The fields, with numbers and booleans among the parameters as they are written in the file: `06` is not 6. */
function withParameterTexts(document: Document, fields: ResourceFields): ResourceFields {
  const written: unknown = document.get('parameters', true)
  const parameters = fields['parameters']
  if (!isMap(written) || typeof parameters !== 'object' || parameters === null) return fields
  const texts = Object.entries(parameters).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'number' && typeof value !== 'boolean') return [name, value]
    const node: unknown = written.get(name, true)
    return [name, isScalar(node) && node.source !== undefined ? node.source : `${value}`]
  })
  return { ...fields, parameters: Object.fromEntries(texts) }
}
