/** Checks origins of web pages in the form that browsers send (`https://shop.example`). */

import type { FailureDetail } from '../failure.ts'

/** In characters. */
export const originLengthMax = 255

/** The problems of origins, at their places in the list. */
export function listOriginProblems(
  origins: readonly string[],
  path: string,
): readonly FailureDetail[] {
  return origins.flatMap((origin, index) => {
    const message = originProblem(origin)
    return message === undefined ? [] : [{ path: `${path}.${index}`, message }]
  })
}

/** The problem of an origin; undefined when valid. Origins are compared as text, in the form that browsers send. */
function originProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !webProtocols.has(url.protocol))
    return 'Must be an origin such as https://shop.example.'
  if (url.hostname.includes('*')) return 'Must name one host: a wildcard matches no origin.'
  if (url.origin !== text) return `Must be an origin as browsers send it: ${url.origin}.`
  if (url.protocol === 'http:' && !ownMachine.test(url.hostname)) {
    return 'Must be https: but for localhost.'
  }
  return undefined
}

const webProtocols = new Set(['https:', 'http:'])

const ownMachine = /^(?:(?:.*\.)?localhost|127\.0\.0\.1|\[::1\])$/

/** Origins whose pages may use a key; without any, all origins may, and callers that are no page. */
export const sdkKeyOriginList = {
  type: 'array',
  maxItems: 50,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: originLengthMax },
  description:
    'Origins whose pages may use the key, such as https://shop.example; without any, all pages and apps may.',
} as const
