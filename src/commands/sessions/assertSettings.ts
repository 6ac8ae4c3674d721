/** What the settings of an application must be together. */

import type { AppSettings } from '../../domain/appSettings.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'

/** Throws `invalid_request` for settings that nothing can meet; `prefix` is where they stand in the request. */
export function assertSettings(settings: AppSettings, prefix = ''): void {
  const details = [...passwordProblems(settings), ...originProblems(settings)]
  if (details.length === 0) return
  throw invalidRequest(details.map(({ path, message }) => ({ path: `${prefix}${path}`, message })))
}

function passwordProblems({ password }: AppSettings): readonly FailureDetail[] {
  const { min_length, max_length, uppercase, lowercase, numbers, symbols } = password
  if (min_length > max_length) {
    return [
      { path: 'password.min_length', message: `Must not be above max_length, ${max_length}.` },
    ]
  }
  const demanded = uppercase + lowercase + numbers + symbols
  if (demanded <= max_length) return []
  const message = `No password of at most ${max_length} characters has the ${demanded} that are demanded.`
  return [{ path: 'password.max_length', message }]
}

function originProblems({ allowed_origins: origins }: AppSettings): readonly FailureDetail[] {
  return origins.flatMap((origin, index) => {
    const message = originProblem(origin)
    return message === undefined ? [] : [{ path: `allowed_origins.${index}`, message }]
  })
}

/** Browsers write an origin in one form only, and it is compared as a text. */
function originProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !webProtocols.has(url.protocol))
    return 'Must be an origin such as https://shop.example.'
  if (url.origin !== text) return `Must be an origin as browsers send it: ${url.origin}.`
  if (url.protocol === 'http:' && !isOwnMachine(url.hostname)) {
    return 'Must be https: but for localhost.'
  }
  return undefined
}

const webProtocols = new Set(['https:', 'http:'])

function isOwnMachine(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]'
  )
}
