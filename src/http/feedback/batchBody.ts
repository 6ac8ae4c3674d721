/** Reads a batch body of 1 to 100 entries, and reports every invalid field of each entry. */

import { batchMax } from '../../domain/evaluation/feedback.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { pause } from '../../domain/load/longWork.ts'
import type { Schema } from '../../domain/schema.ts'
import { type BodyReader, readableBody } from '../request/body/bodyReader.ts'
import { compileSchema, detailsOf, isEveryProblem } from '../request/schema/validator.ts'

interface BatchOf<Given, Input> {
  /** Of the whole body. */
  readonly title: string
  /** The field under which the list stands. */
  readonly name: string
  readonly entry: Schema
  /** The entry as the service takes it. What is wrong is added to the problems, under `path` and further. */
  readonly readEntry: (given: Given, problems: FailureDetail[], path: string) => Input
}

/** Builds the body reader, which throws `invalid_request` with a detail for every invalid field. */
export function batchBody<Given, Input>(of: BatchOf<Given, Input>): BodyReader<readonly Input[]> {
  const schema: Schema = {
    title: of.title,
    type: 'object',
    properties: { [of.name]: { type: 'array', minItems: 1, maxItems: batchMax, items: of.entry } },
    required: [of.name],
    description: 'Fields that are not named here are ignored.',
  }
  const fits = compileSchema<Readonly<Record<string, readonly Given[]>>>(schema)

  return readableBody(schema, 'large', async (body) => {
    const found = fits(body) ? [] : detailsOf(fits.errors)
    if (found.length > 0 && !isEveryProblem(body, found)) throw invalidRequest(found)
    const problems = [...found]
    const inputs: Input[] = []
    for (const [index, entry] of entriesIn(body, of.name).entries()) {
      const path = `${of.name}.${index}`
      // an entry that its schema refuses has been spoken of
      if (found.some((detail) => detail.path === path || detail.path.startsWith(`${path}.`))) {
        continue
      }
      inputs.push(of.readEntry(entry as Given, problems, path))
      await pause()
    }
    if (problems.length > 0) throw invalidRequest(problems)
    return inputs
  })
}

function entriesIn(body: unknown, name: string): readonly unknown[] {
  const list: unknown = typeof body === 'object' && body !== null ? { ...body } : {}
  const entries = (list as Readonly<Record<string, unknown>>)[name]
  return Array.isArray(entries) ? entries.slice(0, batchMax) : []
}
