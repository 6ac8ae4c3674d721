/** What the settings of an application must be together. */

import type { AppSettings } from '../../domain/appSettings.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { originProblem } from '../../domain/webOrigin.ts'

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
