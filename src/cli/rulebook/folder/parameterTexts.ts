/** The values of a recipe's parameters in the form in which the service keeps them: as texts. */

import { type Document, isMap, isScalar } from 'yaml'
import type { Fields } from './resourceFile.ts'

/** The fields with every number and truth value among the parameters as it is written in the file: `06` is not 6, nor 0.10 0.1. */
export function withParameterTexts(document: Document, fields: Fields): Fields {
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
