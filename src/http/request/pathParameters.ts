/** Declares the forms of path parameters (ids, names, words), and rejects malformed ones (404). */

import { appNotFound, Failure } from '../../domain/failure.ts'
import { type IdPrefix, idNotFoundFailure, isId } from '../../domain/ids.ts'
import type { Schema } from '../../domain/jsonSchema.ts'
import { isAppId } from '../../domain/sessions/appId.ts'

const kidPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/
const namePattern = /^[a-z_]{1,64}$/

interface ParameterForm {
  readonly description: string
  readonly schema: Schema
  readonly isValid: (text: string) => boolean
  /** The failure of a malformed value, the same as that of an unknown one. */
  readonly notFound: () => Failure
}

const namedForms = {
  app: {
    description: 'The id of an application: 7 lower-case letters and digits.',
    schema: { type: 'string' },
    isValid: isAppId,
    notFound: appNotFound,
  },
  kid: {
    description: 'The id of a signing key.',
    schema: { type: 'string' },
    isValid: (text) => kidPattern.test(text),
    notFound: () => new Failure('not_found', 'The application has no such signing key.'),
  },
  name: {
    description: 'Name of a projection.',
    schema: { type: 'string' },
    isValid: (text) => namePattern.test(text),
    notFound: () => new Failure('not_found', 'There is nothing of this name.'),
  },
} as const satisfies Record<string, ParameterForm>

/**
 * The form of a path parameter: an id with this prefix, an application id, a signing key id, a name of lower-case
 * letters and `_` (such as a projection), or one of several words.
 */
export type PathParameter = IdPrefix | keyof typeof namedForms | readonly string[]

export function getParameterForm(parameter: PathParameter): ParameterForm {
  if (typeof parameter !== 'string') {
    return {
      description: `${parameter.join(' or ')}.`,
      schema: { type: 'string', enum: parameter },
      isValid: (text) => parameter.includes(text),
      notFound: () => new Failure('not_found', 'There is nothing at this path.'),
    }
  }
  if (parameter in namedForms) return namedForms[parameter as keyof typeof namedForms]
  const prefix = parameter as IdPrefix
  return {
    description: `An id with the prefix ${prefix}_.`,
    schema: { type: 'string' },
    isValid: (text) => isId(prefix, text),
    notFound: () => idNotFoundFailure(prefix),
  }
}

/** Throws the failure of an unknown id or name for a malformed one. No later step checks the form. */
export function assertValidPath(
  given: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, PathParameter>>,
): void {
  for (const [name, parameter] of Object.entries(parameters)) {
    const { isValid, notFound } = getParameterForm(parameter)
    if (!isValid(given[name] ?? '')) throw notFound()
  }
}
