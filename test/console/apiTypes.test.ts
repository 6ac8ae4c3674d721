/** The types that the console asks the API with are those of the description that is served. */

import { expect, test } from 'vitest'
import { buildOpenapiDocument } from '../../src/http/openapi/openapiRoute.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { type ApiDocument, generateTypes } from './support/generateTypes.ts'

const document = JSON.parse(
  JSON.stringify(buildOpenapiDocument(listRoutes(), 'main')),
) as ApiDocument

test('the types on record are those of the description', async () => {
  await expect(generateTypes(document)).toMatchFileSnapshot('../../console/api/schema.ts')
})

test('another description gives other types', () => {
  const { components } = document
  const changed = {
    ...document,
    components: { ...components, schemas: { More: { type: 'string' } } },
  }

  expect(generateTypes(changed)).toContain('export type More = string')
  expect(generateTypes(document)).not.toContain('export type More = string')
})
